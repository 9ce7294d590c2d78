"""The models that are measured, as exporters write them: networks of torchvision, timm, transformers and diffusers,
converted by OpenVINO and by PyTorch's exporter to ONNX, and language models exported by optimum-intel.

Weights are random and seeded; nothing is downloaded. The libraries are imported only where a model is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workload import Workload

from exports import table, tiny
from exports.language import Decoder
from exports.network import Network

DEFAULT_FOLDER: Final = Path(os.environ.get("IRRUN_MODELS", Path(__file__).resolve().parents[1] / ".models"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the tables.

    ``write`` makes ``<stem>.xml``, ``<stem>.bin``, ``<stem>.onnx`` if any, and ``<stem>.npz`` (inputs) unless
    ``workload`` makes those. Rows with the same ``files`` run one model.
    """

    write: Callable[[Path], None]
    group: str
    note: str
    files: str
    workload: Callable[[], Workload] | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """The files of a row: the path of the model without suffix, and that of its inputs."""

    stem: Path
    workload: Path


NETWORK: Final = "networks"
EIGHT_BITS: Final = "int8"
LENGTHS: Final = "lengths"
TOKENS: Final = "tokens"
PROMPTS: Final = "prompts"
TINY: Final = "tiny"


_PASTS: Final[Mapping[int, int]] = {32: 64, 1000: 32}


def _network(name: str, network: Network, group: str = NETWORK) -> Entry:
    return Entry(network.write, group, str(network), name)


def _quantized(name: str, network: Network) -> Entry:
    return Entry(network.write_quantized, EIGHT_BITS, f"{network}, by nncf.quantize", f"{name}-int8")


def _lengths(name: str, network: Network) -> Entry:
    note = f"{network}, another length in each of 200 calls, 16 to 128"
    return Entry(network.write, LENGTHS, note, name, lambda: network.lengths(16, 128, 200))


def _decoder(
    name: str, decoder: Decoder, bits: str, lengths: Sequence[int] = (32, 256), pasts: Mapping[int, int] = _PASTS
) -> Mapping[str, Entry]:
    """The rows of one language model: prompts of some lengths, and a number of single tokens behind others."""
    files = f"{name}-{bits}"

    def write(stem: Path) -> None:
        decoder.write(stem, bits)

    rows = {
        f"{files}-prefill-{length}": Entry(
            write, PROMPTS, f"a prompt of {length} tokens", files, lambda length=length: decoder.prefill(length)
        )
        for length in lengths
    }
    for past, count in pasts.items():
        note = f"each of {count} tokens behind a prompt of {past}"
        rows[f"{files}-token-{past}"] = Entry(
            write, TOKENS, note, files, lambda past=past, count=count: decoder.tokens(past, count)
        )
    return rows


MODELS: Final[Mapping[str, Entry]] = {
    **{name: _network(name, network) for name, network in table.NETWORKS.items()},
    **{f"{name}-int8": _quantized(name, table.NETWORKS[name]) for name in table.QUANTIZED},
    "bert-base-lengths": _lengths("bert-base-dynamic", table.NETWORKS["bert-base-dynamic"]),
    "bert-base-72": _network("bert-base-72", table.FIXED, LENGTHS),
    **{
        row: entry
        for name, decoder in table.DECODERS.items()
        for bits in ("f32", "int8", "int4")
        for row, entry in _decoder(name, decoder, bits).items()
    },
    **{
        row: entry
        for name, decoder in table.LARGE_DECODERS.items()
        for bits in ("int4", "int8")
        for row, entry in _decoder(name, decoder, bits, (32,), {}).items()
    },
    "digits": Entry(tiny.digits, TINY, "the example of this repository, 8x8 images", "digits"),
    "elementwise": Entry(tiny.elementwise, TINY, "100 operations on f32[1,256], built by hand", "elementwise"),
}
"""In the order of the tables."""

STARTED: Final = {
    "networks": ("resnet50", "bert-base", "mobilenet-v2"),
    "language models": (
        *(f"smollm-135m-{bits}-prefill-32" for bits in ("f32", "int8", "int4")),
        *(f"tinyllama-1.1b-{bits}-prefill-32" for bits in ("int4", "int8")),
    ),
}
"""The models of which the time from the start of a process to the first answer is compared."""


def ensure(name: str, folder: Path) -> Made:
    """The files of a row, which are made first where they are not there."""
    entry = MODELS[name]
    stem = folder / entry.files / "model"
    workload = stem.with_name(f"{name}.npz") if entry.workload is not None else stem.with_suffix(".npz")
    if not workload.exists():
        stem.parent.mkdir(parents=True, exist_ok=True)
        if entry.workload is None or not stem.with_suffix(".xml").exists():
            entry.write(stem)
        if entry.workload is not None:
            entry.workload().save(workload)
    return Made(stem, workload)


__all__ = [
    "DEFAULT_FOLDER", "EIGHT_BITS", "LENGTHS", "MODELS", "NETWORK", "PROMPTS", "STARTED", "TINY", "TOKENS", "Entry",
    "Made", "ensure",
]  # fmt: skip
