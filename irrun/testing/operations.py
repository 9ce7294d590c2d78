"""A check of an operation of a user, in every way that irrun uses it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.document.writer import Writer
from irrun.linter import lint
from irrun.model import Loaded, build, load
from irrun.openvino.nodes.custom_attributes import declared, text
from irrun.openvino.values.types import as_element, element_of
from irrun.ops.attributes import AttrSpec
from irrun.ops.extending import additions_of
from irrun.ops.operation import OpClass
from irrun.runtime.tiers import why_not
from irrun.tensor import Array, ElementType, Fact, Shape

_NAME: Final = "tested"


def check_operation(
    operation: Any,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    dynamic: bool = True,
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> None:
    """Check what an operation computes, in a model that is written, read, checked and run.

    ``operation`` is a class, or an OpExtension; ``inputs`` and ``outputs`` are arrays in the types of the ports.
    AssertionError where ``infer`` excludes the outputs, unless not ``dynamic`` also where it knows no size of the
    inputs; where the linter finds a fault in the layer; or where the outputs differ on a tier by more than ``atol`` and
    ``rtol`` times their magnitude. IRError where the operation fails, ExtensionError where it cannot be used.
    """
    additions = additions_of(operation)
    if len(additions.operations) != 1:
        raise AssertionError(f"{additions.source} declares {len(additions.operations)} operations, expected one")
    (cls,) = additions.operations
    given, wanted = ([np.asarray(item) for item in items] for items in (inputs, outputs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        _written(cls, given, wanted, dict(_texts(cls, attributes or {}))).save(path)
        for finding in lint(path, extensions=[additions]):
            raise AssertionError(f"the linter reports: {finding.message}")
        model = load(path, extensions=[additions])
    _check(model, given, wanted, "", rtol, atol)
    if dynamic:
        unknown = {port.index: [-1] * array.ndim for port, array in zip(model.inputs, given, strict=True)}
        _check(model.reshaped(unknown), given, wanted, " with open sizes", rtol, atol)


def _check(
    model: Loaded, given: Sequence[Array], wanted: Sequence[Array], sizes: str, rtol: float, atol: float
) -> None:
    """Raise AssertionError where a model states or computes other outputs than are wanted."""
    for index, (port, array) in enumerate(zip(model.outputs, wanted, strict=True)):
        if not port.partial_shape.admits(array.shape) or port.element_type is not _element(array):
            stated, real = f"{port.element_type}{port.partial_shape}", f"{_element(array)}{Shape(array.shape)}"
            raise AssertionError(f"infer{sizes} states {stated} for output {index}, expected {real}")
    for settings, tier in _ways():
        found = build(model, settings)(list(given)).to_tuple()
        for index, (array, expected) in enumerate(zip(found, wanted, strict=True)):
            if not _is_close(array, expected, rtol, atol):
                raise AssertionError(f"output {index} {tier}{sizes} is\n{array}\nexpected\n{expected}")


def _texts(cls: OpClass, attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the attributes as a file has them; AssertionError for one that the operation does not have."""
    for name, value in attributes.items():
        spec: AttrSpec | None = cls.spec.attribute(name)
        if spec is None:
            raise AssertionError(f"{cls.type} has no attribute {name}")
        yield name, spec.text(value) if isinstance(value, ElementType | Shape) else text(declared(value))


def _written(cls: OpClass, given: Sequence[Array], wanted: Sequence[Array], data: Mapping[str, str]) -> Writer:
    ir = Writer("test")
    ends = [ir.parameter(f"input{index}", _element(array), Shape(array.shape)) for index, array in enumerate(given)]
    facts = [Fact(_element(array), Shape(array.shape)) for array in wanted]
    made = ir.layer(cls.type, str(cls.opset), ends, facts, dict(data), name=_NAME)
    for index, end in enumerate(made):
        ir.result(end, f"output{index}")
    return ir


def _element(array: Array) -> ElementType:
    return as_element("string") if array.dtype.kind in "OSU" else element_of(array.dtype)


def _ways() -> Iterator[tuple[Mapping[str, Any], str]]:
    yield {"OPTIMIZE": False, "TIER": "numpy"}, "as written"
    yield {"TIER": "numpy"}, "on NumPy"
    if why_not() is None:
        yield {"TIER": "compiled"}, "between compiled kernels"


def _is_close(array: Array, expected: Array, rtol: float, atol: float) -> bool:
    if array.shape != expected.shape:
        return False
    if expected.dtype.kind in "OSU":
        return bool(array.tolist() == expected.astype(object).tolist())
    return bool(np.allclose(array, expected, rtol, atol, equal_nan=True))


__all__ = ["check_operation"]
