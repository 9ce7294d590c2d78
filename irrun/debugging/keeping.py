"""Layers that OpenVINO keeps in f32, and the errors that it then makes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from lxml import etree

from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import DebugError
from irrun.debugging.precision import PrecisionReport, distance
from irrun.document.files import content
from irrun.document.replacing import replacing
from irrun.tensor import Array, Shape

_MARK: Final = {"name": "precise", "version": "0"}
"""The note on a layer with which OpenVINO computes it in the precision that the file declares."""


class Measured(NamedTuple):
    """Errors of OpenVINO's outputs in a precision beside its own in f32.

    ``precision`` is the one that it computes in, which may differ from the one asked for: a processor may not have it.
    ``kept`` is the error with a ``number`` of the worst layers in f32, ``predicted`` what was predicted for that.
    """

    precision: str
    error: float
    number: int
    kept: float
    predicted: float


def measured(
    path: Path,
    inputs: Mapping[int, Array],
    report: PrecisionReport,
    *,
    weights: Path | None = None,
    shapes: Mapping[int, Shape] | None = None,
    count: int = 3,
) -> Measured:
    """Run OpenVINO in f32, in a precision, and with the worst layers in f32. DebugError for int8, which it has not."""
    if report.precision == "int8":
        raise DebugError("OpenVINO has no int8 for a model in f32, expected --precision bf16 or f16")
    worst = report.keep[:count]
    exact = OpenVINOSide(path, inputs, weights, shapes)
    rounded = OpenVINOSide(path, inputs, weights, shapes, report.precision)
    answer = exact.outputs()
    with tempfile.TemporaryDirectory(prefix="irrun-") as folder:
        marked = Path(folder, "model.xml")
        keep_in_f32(path, marked, [name for item in worst for name in item.layers], weights)
        partly = OpenVINOSide(marked, inputs, None, shapes, report.precision).outputs()
    error = distance(answer, rounded.outputs())
    predicted = worst[-1].error if worst else report.predicted
    return Measured(rounded.precision, error, len(worst), distance(answer, partly), predicted)


def keep_in_f32(path: Path, target: Path, layers: Collection[str], weights: Path | None = None) -> None:
    """Copy a model, with a note on some layers by which OpenVINO keeps them in f32."""
    names = set(layers)
    try:
        root = etree.fromstring(content(path), etree.XMLParser(resolve_entities=False, huge_tree=True, no_network=True))
    except etree.XMLSyntaxError as error:
        raise DebugError(f"{path} cannot be read: {error}") from None
    for layer in root.findall("layers/layer"):
        if layer.get("name") in names:
            notes = layer.find("rt_info")
            if notes is None:
                notes = etree.Element("rt_info")
                layer.insert(1 if layer.find("data") is not None else 0, notes)
            if not any(item.get("name") == _MARK["name"] for item in notes):
                etree.SubElement(notes, "attribute", _MARK)
    with replacing(target) as file:
        file.write(etree.tostring(root, xml_declaration=True, encoding="utf-8"))
    source = weights if weights is not None else path.with_suffix(".bin")
    if source.exists() and source.resolve() != target.with_suffix(".bin").resolve():
        shutil.copyfile(source, target.with_suffix(".bin"))
