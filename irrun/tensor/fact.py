"""Facts: the static knowledge about a tensor."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from irrun.tensor.dim import Dim
from irrun.tensor.element_type import DYNAMIC, ElementType
from irrun.tensor.shape import Shape

Array = npt.NDArray[Any]


class Fact:
    """The element type, partial shape and, where known, value of a tensor.

    ``value`` is an array of the type's carrier, or an object array of ``Dim`` and ``int`` for a partly known shape
    tensor.
    """

    __slots__ = ("shape", "type", "value")

    type: ElementType
    shape: Shape
    value: Array | None

    def __init__(self, type: ElementType, shape: Shape, value: Array | None = None) -> None:
        self.type = type
        self.shape = shape
        self.value = value

    @property
    def stored(self) -> Array | None:
        """The value as a file holds it, where it is a large constant of fewer bits than its carrier; None otherwise.

        float16, bytes with a code of 8 bits, or bytes with two of 4 bits each, in which the last axis is half as long.
        """
        return None

    @property
    def bounds(self) -> tuple[Array, Array] | None:
        """The lower and the upper bounds of the elements, of floats that are computed from partly known sizes."""
        return None

    @staticmethod
    def of(type: ElementType, value: Array) -> Fact:
        """Return the fact of a tensor with a fully known value."""
        return Fact(type, Shape(value.shape), value)

    @staticmethod
    def unknown() -> Fact:
        return Fact(DYNAMIC, Shape(None))

    @property
    def rank(self) -> int | None:
        return None if self.shape.dims is None else len(self.shape.dims)

    @property
    def constant(self) -> Array | None:
        """The value where all of its elements are known; None otherwise."""
        return self.value if self.is_constant else None

    @property
    def least_bytes(self) -> int:
        """A lower bound of the size of the tensor, in bytes; 0 for an unknown rank."""
        dims = self.shape.dims
        return 0 if dims is None else math.prod([dim.lo for dim in dims]) * self.type.bits // 8

    @property
    def is_constant(self) -> bool:
        """True where every element of the value is known."""
        return self.value is not None and (self.value.dtype != object or self.type.kind == "string")

    @property
    def is_determined(self) -> bool:
        """True where each element of the value is known, or known in terms of the sizes of Parameters."""
        if self.value is None or self.is_constant:
            return self.value is not None
        return all(not isinstance(item, Dim) or item.is_determined for item in self.value.flat)

    def ints(self) -> tuple[int, ...] | None:
        """Return the elements of an integer tensor, flattened; None unless all are known."""
        return None if self.constant is None else tuple(int(item) for item in self.constant.reshape(-1))

    def dims(self) -> tuple[Dim, ...] | None:
        """Return the elements of a 1D integer tensor, unknown ones as unbounded dims; None where their number is
        unknown.
        """
        if self.value is not None:
            return tuple(map(Dim.of, self.value.reshape(-1).tolist()))
        if self.shape.rank is None or not self.shape.size.is_static or self.shape.size.lo > 64:
            return None
        return (Dim.anything(),) * self.shape.size.lo

    def as_shape(self) -> Shape:
        """Return the partial shape that this shape tensor describes."""
        return Shape(self.dims())

    def admits(self, array: Array) -> bool:
        """Return whether an array in the carrier type has this type, shape and, as far as known, value."""
        if self.type.is_known and array.dtype != self.type.dtype:
            return False
        if not self.shape.admits(array.shape):
            return False
        if self.value is None:
            return True
        if self.constant is not None:
            return bool(np.array_equal(self.value, array, equal_nan=array.dtype.kind == "f"))
        known = zip(self.value.reshape(-1).tolist(), array.reshape(-1).tolist(), strict=True)
        return all(Dim.of(dim).admits(item) for dim, item in known)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fact) or self.type is not other.type or self.shape != other.shape:
            return False
        if self.value is None or other.value is None:
            return self.value is other.value
        return self.value is other.value or bool(np.array_equal(self.value, other.value))

    __hash__: None = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.type}{self.shape}"

    def __repr__(self) -> str:
        return f"Fact({self}{'' if self.value is None else ' known'})"


class StoredFact(Fact):
    """The fact of a constant in its stored form; ``value`` is what ``decode`` makes of it, as long as that is used."""

    __slots__ = ("_decode", "_made", "_stored")

    def __init__(self, type: ElementType, shape: Shape, stored: Array, decode: Callable[[Array], Array]) -> None:
        self._stored = stored
        self._decode = decode
        self._made: weakref.ref[Array] | None = None
        super().__init__(type, shape)

    @property
    def stored(self) -> Array:
        return self._stored

    @property
    def is_constant(self) -> bool:
        return True

    @property
    def value(self) -> Array | None:
        found = None if self._made is None else self._made()
        if found is None:
            found = self._decode(self._stored)
            self._made = weakref.ref(found)
        return found

    @value.setter
    def value(self, value: Array | None) -> None:
        assert value is None


class BoundedFact(Fact):
    """The fact of a float tensor whose elements are known between bounds."""

    __slots__ = ("_bounds",)

    def __init__(self, type: ElementType, shape: Shape, bounds: tuple[Array, Array]) -> None:
        self._bounds = bounds
        super().__init__(type, shape)

    @property
    def bounds(self) -> tuple[Array, Array]:
        return self._bounds
