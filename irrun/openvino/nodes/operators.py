"""Python operators between nodes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.openvino.nodes.ports import Output

Operator = Callable[[Any, Any], Any]


def _operator(name: str) -> tuple[Operator, Operator]:
    """Return the methods for a node on the left and on the right of an operator."""
    return lambda left, right: _binary(name, left, right), lambda right, left: _binary(name, left, right)


class Operators:
    """Arithmetic that makes nodes."""

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("subtract")
    __mul__, __rmul__ = _operator("multiply")
    __truediv__, __rtruediv__ = _operator("divide")

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
