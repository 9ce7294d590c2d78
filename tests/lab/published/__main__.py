"""Export published networks; see the package."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lxml import etree

ARCHIVES: Final = Path(__file__).resolve().parents[2] / "exports" / "published"
PAGE: Final = "https://docs.pytorch.org/vision/stable/models.html"
NETWORKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "alexnet": {},
    "convnext_tiny": {},
    "densenet121": {},
    "efficientnet_b0": {},
    "googlenet": {"aux_logits": False, "init_weights": False},
    "mobilenet_v2": {},
    "mobilenet_v3_large": {},
    "regnet_y_400mf": {},
    "resnet18": {},
    "resnet50": {},
    "shufflenet_v2_x1_0": {},
    "squeezenet1_0": {},
    "vgg16": {},
}
_UNFOLDED: Final = {"densenet121": 41824 - 7488}
"""Channels of batch norms that follow no convolution, and stay a product and a sum: those before a convolution."""

_SMALL: Final = 256
"""Constants of so many bytes keep their values: sizes, axes and the like."""


def export(name: str, path: Path) -> None:
    """Export a network with random weights; none of them is what a converter leaves out, such as a gain of 1."""
    torch, models, openvino = (importlib.import_module(item) for item in ("torch", "torchvision.models", "openvino"))
    torch.manual_seed(0)
    network = models.get_model(name, weights=None, **NETWORKS[name]).eval()
    for tensor in (*network.parameters(), *(item for item in network.buffers() if item.is_floating_point())):
        if tensor.dim() == 1:
            tensor.data.uniform_(0.5, 1.5)
    size = _size(name)
    image = torch.zeros(1, 3, size, size)
    openvino.save_model(openvino.convert_model(network, example_input=image, input=list(image.shape)), path)


def figures(name: str) -> dict[str, object]:
    """Return the published figures of a network, and the channels of batch norms that become biases."""
    models, nn = (importlib.import_module(item) for item in ("torchvision.models", "torch.nn"))
    weights = next(iter(models.get_model_weights(name)))
    network = models.get_model(name, weights=None, **NETWORKS[name])
    channels = sum(item.num_features for item in network.modules() if isinstance(item, nn.BatchNorm2d))
    return {
        "weights": str(weights),
        "page": PAGE,
        "parameters": weights.meta["num_params"],
        "billions_of_macs": weights.meta["_ops"],
        "folded": channels - _UNFOLDED.get(name, 0),
    }


def archive(path: Path, target: Path) -> None:
    """Write the IR with the values of small constants, at the beginning of the weights; others overlap them."""
    root, data = etree.parse(path).getroot(), path.with_suffix(".bin").read_bytes()
    values = bytearray()
    for item in root.iter("data"):
        if "offset" not in item.attrib:
            continue
        offset, size = int(item.get("offset")), int(item.get("size"))
        item.set("offset", str(len(values) if size <= _SMALL else 0))
        values += data[offset : offset + size] if size <= _SMALL else b""
    with tarfile.open(target, "w:xz") as file:
        for name, content in (("model.xml", etree.tostring(root)), ("values.bin", bytes(values))):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))


def _size(name: str) -> int:
    models: Any = importlib.import_module("torchvision.models")
    size: int = next(iter(models.get_model_weights(name))).transforms().crop_size[0]
    return size


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab published", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the exported networks")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    ARCHIVES.mkdir(exist_ok=True)
    found = {}
    for name in NETWORKS:
        path = options.folder / f"{name}.xml"
        if not path.exists():
            export(name, path)
        archive(path, ARCHIVES / f"{name}.tar.xz")
        found[name] = figures(name)
        print(name, found[name], flush=True)
    (ARCHIVES / "figures.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0
