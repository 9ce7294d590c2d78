"""Base classes and helpers of elementwise operations with one or two inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from irrun.kernels.casting import nearest, truncate
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr
from irrun.ops.shapes import EXPLICIT, broadcast, broadcast_pdpd
from irrun.tensor.element_type import FLOAT, NUMERIC

T = TypeVar("T", NUMERIC)
T_FLOAT = TypeVar("T", FLOAT)


class Unary(Op):
    """A function of each element; the result has the type and shape of the input."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    reads_slices = True
    function: ClassVar[Callable[..., Any]]

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return np.asarray(type(self).function(data))

    def elementwise(self) -> Elementwise:
        return Elementwise(self.type.lower(), (), type(self).function)


class FloatFunction(Unary):
    """A function of real numbers. Integers are computed in float64 and made integral by ``whole``."""

    whole: ClassVar[Callable[..., Any]] = nearest

    def run(self, data: Array) -> Array:
        if data.dtype.kind == "f":
            return np.asarray(type(self).function(data))
        exact = np.asarray(type(self).function(data.astype(np.float64)))
        return truncate(type(self).whole(exact), data.dtype)


class Whole(Unary):
    """A function that rounds to integers; integers are unchanged."""

    def run(self, data: Array) -> Array:
        return np.asarray(type(self).function(data)) if data.dtype.kind == "f" else data


class Binary(Op):
    """A function of two elements, broadcast by ``auto_broadcast``."""

    workspace = 8
    inputs = (In("a", T), In("b", T))
    outputs = (Out("output", T),)
    reads_slices = True
    function: ClassVar[Callable[..., Any]]

    auto_broadcast: Literal["none", "numpy", "pdpd"] = attr(
        "numpy", doc="rule for broadcasting different shapes", aliases=EXPLICIT
    )
    axis: int = attr(
        0,
        name="auto_broadcast.auto_broadcast_axis",
        ge=-1,
        doc="the axis of a on which b begins, -1 to align at the end, for pdpd",
    )

    def infer(self, a: Fact, b: Fact) -> Shape:
        if self.auto_broadcast == "numpy":
            return broadcast(a.shape, b.shape)
        if self.auto_broadcast == "pdpd":
            return broadcast_pdpd(a.shape, b.shape, self.axis)
        merged = a.shape.merge(b.shape)
        if merged is None:
            raise OpError(f"shapes {a.shape} and {b.shape} differ, and auto_broadcast is none", input=1)
        return merged

    def run(self, a: Array, b: Array) -> Array:
        if self.auto_broadcast == "pdpd":
            b = align_pdpd(b, a.ndim, self.axis)
        elif self.auto_broadcast == "none" and a.shape != b.shape:
            raise OpError(f"shapes {Shape(a.shape)} and {Shape(b.shape)} differ, and auto_broadcast is none", input=1)
        return np.asarray(self.apply(a, b))

    def apply(self, a: Array, b: Array) -> Any:
        """Apply the function to two arrays, which NumPy broadcasts."""
        return type(self).function(a, b)


def align_pdpd(b: Any, rank: int, axis: int) -> Any:
    """Add ones to the shape of ``b``, so that NumPy broadcasts it from ``axis`` of a tensor of ``rank`` on."""
    start = rank - b.ndim if axis == -1 else axis
    shape = b.shape
    while len(shape) + start > rank and shape[-1] == 1:
        shape = shape[:-1]
    return b.reshape((1,) * start + shape + (1,) * (rank - start - len(shape)))


def hold_dims(*arrays: Array) -> bool:
    """Return whether an array is an object array of partly known integers."""
    return any(array.dtype == object for array in arrays)


def over_dims(function: Callable[[Dim, Dim], Any], a: Array, b: Array) -> Array:
    """Apply a function of two dims to each pair of elements; the result is an object array."""
    over = np.frompyfunc(lambda x, y: function(Dim.of(x), Dim.of(y)), 2, 1)
    return np.asarray(over(a, b), dtype=object)
