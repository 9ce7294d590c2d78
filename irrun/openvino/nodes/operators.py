"""Python operators between nodes."""

from __future__ import annotations

import importlib
from typing import Any, Final

import numpy as np

from irrun.openvino.nodes.ports import Output


class Operators:
    """Arithmetic that makes nodes."""

    def __add__(self, other: Any) -> Any:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("divide", other, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_named: Any) -> Any:
        """Return a node for an operator between an array and a node."""
        if ufunc.__name__ not in _UFUNCS or method != "__call__" or len(inputs) != 2:
            return NotImplemented
        return _binary(ufunc.__name__, *inputs)


_UFUNCS: Final = ("add", "subtract", "multiply", "divide")


def _binary(name: str, left: Any, right: Any) -> Any:
    """Return the node of an operator; NotImplemented for operands that are not nodes, numbers or arrays."""
    known = (Operators, Output, int, float, np.ndarray, np.generic)
    if not isinstance(left, known) or not isinstance(right, known):
        return NotImplemented
    builders = importlib.import_module("irrun.openvino.opset13")
    return getattr(builders, name)(left, right)
