"""Layers that OpenVINO keeps in f32, and the errors that it then makes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from lxml import etree

from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import DebugError
from irrun.debugging.precision import PrecisionReport, distance
from irrun.document.files import content, opened
from irrun.document.replacing import replacing
from irrun.tensor import Array, Shape

_MARK: Final = {"name": "precise", "version": "0"}
"""The note on a layer with which OpenVINO computes it in the precision that the file declares."""


class PrecisionErrors(NamedTuple):
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
) -> PrecisionErrors:
    """Run OpenVINO in f32, in a precision, and with the worst layers in f32. DebugError for int8."""
    if report.precision == "int8":
        raise DebugError("OpenVINO has no int8 for a model in f32, expected --precision bf16 or f16")
    worst = report.keep[:count]
    exact = OpenVINOSide(path, inputs, weights, shapes)
    rounded = OpenVINOSide(path, inputs, weights, shapes, report.precision)
    answer = exact.outputs()
    with tempfile.TemporaryDirectory(prefix="irrun-") as folder:
        marked = Path(folder, "model.xml")
        names = {name for item in worst for name in item.layers}
        keep_in_f32(path, marked, names, weights)
        partly = _Loosened(marked, inputs, shapes, report.precision, names).outputs()
    error = distance(answer, rounded.outputs())
    predicted = worst[-1].error if worst else report.predicted
    return PrecisionErrors(rounded.precision, error, len(worst), distance(answer, partly), predicted)


class _Loosened(OpenVINOSide):
    """A model in which the weights of some products are inputs.

    OpenVINO makes fully connected layers of products with constant weights, and forgets the notes on them.
    """

    def __init__(
        self,
        path: Path,
        inputs: Mapping[int, Array],
        shapes: Mapping[int, Shape] | None,
        precision: str,
        names: Collection[str],
    ) -> None:
        super().__init__(path, inputs, None, shapes, precision)
        self._names = names

    def _read(self) -> Any:
        model = super()._read()
        count = len(model.inputs)
        added: list[Any] = []
        for node in model.get_ordered_ops():
            if node.get_type_name() == "MatMul" and node.get_friendly_name() in self._names:
                values = _constant(node.input_value(1).get_node())
                if values is not None:
                    parameter = self._ov.opset8.parameter(values.shape, np.float32)
                    node.input(1).replace_source_output(parameter.output(0))
                    self._inputs[count + len(added)] = values
                    added.append(parameter)
        if added:
            model.add_parameters(added)
            model.validate_nodes_and_infer_types()
        return model


def _constant(node: Any) -> Array | None:
    """Return the value of a constant in f32, also of one that is converted to it; None for anything else."""
    if node.get_type_name() == "Convert":
        node = node.input_value(0).get_node()
    is_float = node.get_type_name() == "Constant" and node.get_element_type().is_real()
    return np.array(node.data, np.float32) if is_float else None


def keep_in_f32(path: Path, target: Path, layers: Collection[str], weights: Path | None = None) -> None:
    """Copy a model, with a note on some layers by which OpenVINO keeps them in f32.

    OpenVINO ignores it on products with constant weights other than convolutions.
    """
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
    source, beside = weights if weights is not None else path.with_suffix(".bin"), target.with_suffix(".bin")
    with ExitStack() as stack:
        file = stack.enter_context(replacing(target))
        file.write(etree.tostring(root, xml_declaration=True, encoding="utf-8"))
        if source.exists() and source.resolve() != beside.resolve():
            shutil.copyfileobj(stack.enter_context(opened(source)), stack.enter_context(replacing(beside)))
