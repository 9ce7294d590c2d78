"""The models that are measured: how each is made, of what size, and what it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nets import language, light, recurrent, small, transformers, vision

DEFAULT_FOLDER: Final = Path(__file__).resolve().parents[1] / ".models"

Make = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A model. ``make`` writes ``<stem>.xml``, ``<stem>.bin``, ``<stem>.npz`` (inputs), and ``<stem>.onnx`` if any."""

    make: Make
    group: str
    note: str


LARGE: Final = "large"
SMALL: Final = "small"
TINY: Final = "tiny"

MODELS: Final[Mapping[str, Entry]] = {
    "resnet50": Entry(light.resnet50, LARGE, "224x224"),
    "vgg19": Entry(light.vgg19, LARGE, "224x224"),
    "densenet121": Entry(light.densenet121, LARGE, "224x224"),
    "inception-v1": Entry(light.inception_v1, LARGE, "224x224"),
    "bert-base": Entry(transformers.bert_base, LARGE, "sequence of 128"),
    "gpt2": Entry(transformers.gpt2, LARGE, "124 M parameters, sequence of 64, all logits"),
    "vit-base": Entry(transformers.vit_base, LARGE, "224x224, patches of 16"),
    "squeezenet": Entry(light.squeezenet, SMALL, "224x224"),
    "shufflenet": Entry(light.shufflenet, SMALL, "224x224"),
    "mobilenet-v2": Entry(vision.mobilenet_v2, SMALL, "width 1.0, 224x224"),
    "unet": Entry(vision.unet, SMALL, "base width 32, 256x256"),
    "bilstm": Entry(recurrent.bilstm, SMALL, "2 layers, both directions, hidden 256, sequence of 100"),
    "lm-int8": Entry(language.int8, SMALL, "135 M parameters, u8 weights per channel, sequence of 32"),
    "lm-int4": Entry(language.int4, SMALL, "135 M parameters, u4 weights in groups of 64, sequence of 32"),
    "digits": Entry(small.digits, TINY, "8x8 images, batch 1"),
    "elementwise": Entry(small.elementwise, TINY, "100 operations on f32[1,256]"),
}
"""In the order of the tables."""


def ensure(name: str, folder: Path) -> Path:
    """The path of a model's ``.xml``; it is made first where it is not there."""
    path = folder / f"{name}.xml"
    if not path.with_suffix(".npz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        MODELS[name].make(folder / name)
    return path


__all__ = ["DEFAULT_FOLDER", "LARGE", "MODELS", "SMALL", "TINY", "Entry", "ensure"]
