"""The models that are measured: how each is made, of what size, and what it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workload import Workload

from nets import efficient, language, light, quantized, recurrent, small, swin, transformers, vision, yolo

DEFAULT_FOLDER: Final = Path(__file__).resolve().parents[1] / ".models"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the tables.

    ``make`` writes ``<stem>.xml``, ``<stem>.bin``, ``<stem>.onnx`` if any, and ``<stem>.npz`` (inputs) unless
    ``workload`` makes those. Rows with the same ``files`` run one model.
    """

    make: Callable[[Path], None]
    group: str
    note: str
    files: str = ""
    workload: Callable[[], Workload] | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """The files of a row: the path of the model without suffix, and that of its inputs."""

    stem: Path
    workload: Path


LARGE: Final = "large"
SMALL: Final = "small"
LANGUAGE: Final = "language"
OTHER: Final = "other"
TINY: Final = "tiny"


def _language(bits: str, make: Callable[[Path], None]) -> Mapping[str, Entry]:
    """The rows of one decoder: prompts of two lengths, and single tokens."""
    files = f"lm-{bits}"
    return {
        f"{files}-prefill-32": Entry(make, LANGUAGE, "a prompt of 32 tokens", files, lambda: language.prefill(32)),
        f"{files}-prefill-256": Entry(make, LANGUAGE, "a prompt of 256 tokens", files, lambda: language.prefill(256)),
        f"{files}-token": Entry(make, LANGUAGE, "each of 64 tokens behind a prompt of 32", files, language.tokens),
    }


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
    "efficientnet-b0": Entry(efficient.efficientnet_b0, SMALL, "224x224"),
    "convnext-t": Entry(efficient.convnext_t, SMALL, "224x224"),
    "swin-t": Entry(swin.swin_t, SMALL, "224x224, windows of 7"),
    "yolov8n": Entry(yolo.yolov8n, SMALL, "640x640, boxes decoded"),
    "unet": Entry(vision.unet, SMALL, "base width 32, 256x256"),
    "resnet50-int8": Entry(quantized.resnet50_int8, OTHER, "224x224, FakeQuantize before each convolution, i8 weights"),
    "mobilenet-v2-int8": Entry(quantized.mobilenet_v2_int8, OTHER, "224x224, residuals quantised too, i8 weights"),
    "bilstm": Entry(recurrent.bilstm, OTHER, "2 layers, both directions, hidden 256, sequence of 100"),
    **_language("f32", language.f32),
    **_language("int8", language.int8),
    **_language("int4", language.int4),
    "digits": Entry(small.digits, TINY, "8x8 images, batch 1"),
    "elementwise": Entry(small.elementwise, TINY, "100 operations on f32[1,256]"),
}
"""In the order of the tables."""


def ensure(name: str, folder: Path) -> Made:
    """The files of a row, which are made first where they are not there."""
    entry = MODELS[name]
    stem = folder / (entry.files or name)
    workload = folder / f"{name}.npz"
    if not workload.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if entry.workload is None or not stem.with_suffix(".xml").exists():
            entry.make(stem)
        if entry.workload is not None:
            entry.workload().save(workload)
    return Made(stem, workload)


__all__ = ["DEFAULT_FOLDER", "LANGUAGE", "LARGE", "MODELS", "OTHER", "SMALL", "TINY", "Entry", "Made", "ensure"]
