"""Writes models as IR files, and as one block of bytes."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import listing
from irrun.document.writer import IrFile
from irrun.model import load
from irrun.model.interface import LEGACY
from irrun.openvino.models.model import Model
from irrun.openvino.models.writing import written

_MAGIC: Final = b"irrun model 1\n"
_VERSIONS: Final = {"UNSPECIFIED": "11", "IR_V10": "10", "IR_V11": "11"}
_HEAD: Final = struct.Struct("<qq")


def save_model(model: Model, output_model: str | os.PathLike[str], compress_to_fp16: bool = True) -> None:
    """Write an .xml, and the .bin beside it.

    With ``compress_to_fp16`` the constants of f32 and f64 that f16 can hold are stored in f16, each followed by a
    Convert; not those of a quantised model, nor a single number that would lose much.
    """
    if not isinstance(model, Model):
        raise TypeError(f"save_model takes a Model, got {model!r}")
    writer = _written(model, halves=compress_to_fp16)
    path = Path(output_model)
    with _errors_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        writer.save(path)


def serialize(model: Model, xml_path: Any, bin_path: Any = "", version: str = "UNSPECIFIED") -> None:
    """Write an .xml and a .bin, to paths or to streams."""
    if version not in _VERSIONS:
        raise RuntimeError(f"version is {version!r}, expected {listing(list(_VERSIONS))}")
    writer = _written(model, version=_VERSIONS[version])
    if isinstance(xml_path, BytesIO):
        xml_path.write(writer.text.encode())
        bin_path.write(writer.weights)
        return
    xml = Path(xml_path)
    weights = Path(bin_path) if bin_path else xml.with_suffix(".bin")
    with _errors_of(xml):
        writer.save(xml, weights)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Convert an error of the file system to RuntimeError."""
    try:
        yield
    except OSError as error:
        raise RuntimeError(f"{error.filename or path}: {error.strerror or error}") from error


def to_bytes(model: Model) -> tuple[bytes, bytes]:
    """Return the contents of the .xml and of the .bin."""
    writer = _written(model)
    return writer.text.encode(), writer.weights


def from_bytes(xml: bytes, weights: bytes) -> Model:
    return Model.of(load(xml, weights))


def export(model: Model, name: str) -> bytes:
    """Return a model as one block of bytes."""
    model.friendly_name = name
    xml, weights = to_bytes(model)
    return _MAGIC + _HEAD.pack(len(xml), len(weights)) + xml + weights


def imported(data: bytes) -> Model:
    """Read what ``export`` wrote; RuntimeError for anything else."""
    start = len(_MAGIC) + _HEAD.size
    if not data.startswith(_MAGIC) or len(data) < start:
        raise RuntimeError("the bytes are not a model exported by irrun")
    first, second = _HEAD.unpack_from(data, len(_MAGIC))
    if len(data) != start + first + second:
        raise RuntimeError(f"the exported model has {len(data)} bytes, expected {start + first + second}")
    return from_bytes(data[start : start + first], data[start + first :])


def _written(model: Model, *, halves: bool = False, version: str = "11") -> IrFile:
    if model.value.version == LEGACY:
        _ = model.inputs
    return written(model.value, model.friendly_name, model.rt_info, halves=halves, version=version)
