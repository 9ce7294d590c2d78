"""Train the digits network, save it as IR, and save the held-out images together with the scores OpenVINO gives them.

Needs torch, openvino and scikit-learn. Writes into the folder this file is in:

model.xml, model.bin      IR v11, f32; input `image` f32[?,1,8,8] with pixels 0 to 16, output `scores` f32[?,10]
heldout_images.npy        f32[360,1,8,8]
heldout_labels.npy        i64[360]
expected_scores.npy       f32[360,10], from the CPU device computing in f32
zero.npy, three.npy, ...  f32[1,1,8,8], each the first held-out image of its digit that the network recognises
"""

from __future__ import annotations

import re
from collections import OrderedDict
from pathlib import Path

import numpy as np
import openvino as ov
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

FOLDER = Path(__file__).resolve().parent
SEED = 0
EPOCHS = 60
BATCH = 32
PEAK_LEARNING_RATE = 4e-3
SAMPLES = {"zero": 0, "three": 3, "seven": 7, "eight": 8}

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Scale(nn.Module):
    """Map pixels from 0..16 to 0..1."""

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Return the scaled batch, f32[N,1,8,8]."""
        return image / 16.0


def split() -> Arrays:
    """Return train images, held-out images (f32[N,1,8,8], pixels 0 to 16), train labels, held-out labels (i64[N])."""
    digits = load_digits()
    images = digits.images.astype(np.float32)[:, np.newaxis]
    labels = digits.target.astype(np.int64)
    parts: Arrays = tuple(train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=SEED))
    return parts


def build() -> nn.Sequential:
    """Return the untrained network; it ends in logits, f32[N,10]."""
    return nn.Sequential(
        OrderedDict(
            scale=Scale(),
            conv1=nn.Conv2d(1, 16, kernel_size=3, padding=1),
            relu1=nn.ReLU(),
            conv2=nn.Conv2d(16, 32, kernel_size=3, padding=1),
            relu2=nn.ReLU(),
            pool1=nn.MaxPool2d(2),
            conv3=nn.Conv2d(32, 32, kernel_size=3, padding=1),
            relu3=nn.ReLU(),
            pool2=nn.AvgPool2d(2),
            flatten=nn.Flatten(),
            dropout=nn.Dropout(0.3),
            fc1=nn.Linear(128, 64),
            relu4=nn.ReLU(),
            fc2=nn.Linear(64, 10),
        )
    )


def shift(images: torch.Tensor) -> torch.Tensor:
    """Return the batch moved by at most one pixel in each direction, with background moved in."""
    down, right = torch.randint(0, 3, (2,)).tolist()
    return nn.functional.pad(images, (1, 1, 1, 1))[:, :, down : down + 8, right : right + 8]


def train(net: nn.Sequential, images: torch.Tensor, labels: torch.Tensor) -> None:
    """Fit the network in place; half of the batches are shifted."""
    steps = -(-len(images) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK_LEARNING_RATE, epochs=EPOCHS, steps_per_epoch=steps)
    net.train()
    for epoch in range(EPOCHS):
        total = 0.0
        for chosen in torch.randperm(len(images)).split(BATCH):
            batch = shift(images[chosen]) if torch.rand(()) < 0.5 else images[chosen]
            loss = nn.functional.cross_entropy(net(batch), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(chosen)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  training loss {total / len(images):.4f}")


def convert(net: nn.Sequential) -> ov.Model:
    """Return the trained network as an OpenVINO model that ends in probabilities and has readable names."""
    network = nn.Sequential(OrderedDict(net.named_children(), softmax=nn.Softmax(dim=1))).eval()
    model = ov.convert_model(network, input=[ov.PartialShape([-1, 1, 8, 8])], example_input=torch.zeros(2, 1, 8, 8))
    model.set_friendly_name("digits")
    rename(model)
    del model.get_rt_info()["conversion_parameters"]
    return model


def rename(model: ov.Model) -> None:
    """Name layers and tensors after the modules they come from, and constants after their consumer."""
    roles = {"Divide": "divisor", "Convolution": "weight", "MatMul": "weight", "Add": "bias", "Reshape": "shape"}
    for layer in model.get_ops():
        for output in layer.outputs():
            output.get_tensor().set_names(set())
        kind = layer.get_type_name()
        module = re.match(r"__module\.(\w+)/", layer.get_friendly_name())
        if kind == "Constant":
            consumer = next(iter(layer.output(0).get_target_inputs())).get_node()
            owner = re.match(r"__module\.(\w+)/|(\w+?)(?:_add)?$", consumer.get_friendly_name())
            if owner is None:
                raise ValueError(f"constant {layer.get_friendly_name()} feeds {consumer.get_friendly_name()}")
            layer.set_friendly_name(f"{owner[1] or owner[2]}_{roles[consumer.get_type_name()]}")
        elif module is not None:
            layer.set_friendly_name(f"{module[1]}_add" if kind == "Add" else module[1])
            layer.output(0).get_tensor().set_names({layer.get_friendly_name()})
    model.input().get_node().set_friendly_name("image")
    model.input().get_tensor().set_names({"image"})
    model.output().get_node().set_friendly_name("scores")
    model.output().get_tensor().set_names({"scores"})


def score(images: np.ndarray) -> np.ndarray:
    """Return the scores (f32[N,10]) that the saved model gives on the CPU, computing in f32."""
    compiled = ov.Core().compile_model(FOLDER / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.array(compiled({"image": images})["scores"])


def main() -> None:
    """Train, save and measure."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train_images, images, train_labels, labels = split()
    net = build()
    train(net, torch.from_numpy(train_images), torch.from_numpy(train_labels))
    ov.save_model(convert(net), FOLDER / "model.xml", compress_to_fp16=False)

    scores = score(images)
    recognised = scores.argmax(axis=1) == labels
    np.save(FOLDER / "heldout_images.npy", images)
    np.save(FOLDER / "heldout_labels.npy", labels)
    np.save(FOLDER / "expected_scores.npy", scores)
    for name, digit in SAMPLES.items():
        first = np.flatnonzero(recognised & (labels == digit))[0]
        np.save(FOLDER / f"{name}.npy", images[first : first + 1])
    parameters = sum(parameter.numel() for parameter in net.parameters())
    print(f"{parameters} parameters, held-out accuracy {recognised.mean():.4f} ({recognised.sum()} of {len(labels)})")


if __name__ == "__main__":
    main()
