"""Sizes and shapes as OpenVINO's ``Dimension``, ``Shape`` and ``PartialShape``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from irrun.openvino.values.dimensions import OPEN, Dimension, as_dim, as_dimension, of_dim
from irrun.openvino.values.keywords import also_named
from irrun.tensor import UNBOUNDED
from irrun.tensor import Shape as Dims


class _Numbers:
    """A list of numbers that compares equal to lists and tuples of the same ones."""

    __hash__: None = None  # type: ignore[assignment]
    _signed = False

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._values: list[int] = [self._number(value) for value in values]

    def _number(self, value: Any) -> int:
        if not isinstance(value, int | np.integer) or (value < 0 and not self._signed):
            raise TypeError(
                f"{type(self).__name__} holds {'' if self._signed else 'non-negative '}integers, got {value!r}"
            )
        return int(value)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __getitem__(self, key: Any) -> Any:
        return type(self)(self._values[key]) if isinstance(key, slice) else self._values[key]

    def __setitem__(self, key: int, value: int) -> None:
        self._values[key] = self._number(value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartialShape):
            return other == self
        return isinstance(other, list | tuple | _Numbers) and self._values == list(other)

    def __str__(self) -> str:
        return ", ".join(map(str, self._values))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


class Shape(_Numbers):
    """The sizes of a tensor."""

    def __setitem__(self, key: int, value: Any) -> None:
        super().__setitem__(key, value.get_length() if isinstance(value, Dimension) else value)

    @also_named("axis_lengths", "shape")
    def __init__(self, axis_lengths: Iterable[Any] | str = ()) -> None:
        if isinstance(axis_lengths, str):
            dims = _shape_parsed(axis_lengths)
            if not dims.is_static:
                raise RuntimeError(f"the shape {axis_lengths} is not static")
            axis_lengths = dims.static
        super().__init__(axis_lengths)

    def __str__(self) -> str:
        """Return the text form, such as [1,2]."""
        return f"[{','.join(map(str, self._values))}]"

    to_string = __str__


class Strides(_Numbers):
    """The distances between neighbours along each axis."""


class Coordinate(_Numbers):
    """A position in a tensor."""


class CoordinateDiff(_Numbers):
    """A difference of two positions."""

    _signed = True


class AxisVector(_Numbers):
    """Axes in some order."""


class AxisSet(_Numbers):
    """A set of axes."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(sorted(set(values)))


class PartialShape:
    """A shape of which sizes, or the rank, may be dynamic."""

    __slots__ = ("_dims",)
    __hash__: None = None  # type: ignore[assignment]

    _dims: list[Dimension] | None

    def __init__(self, shape: Any) -> None:
        if isinstance(shape, str):
            shape = of_dims(_shape_parsed(shape))
        if isinstance(shape, PartialShape):
            self._dims = None if shape._dims is None else list(shape._dims)
        elif isinstance(shape, list | tuple | Shape):
            self._dims = [as_dimension(item) for item in shape]
        else:
            raise TypeError(f"a PartialShape is made of a list, a string or a shape, got {shape!r}")

    @staticmethod
    def dynamic(rank: int | Dimension | None = None) -> PartialShape:
        """Return a shape of dynamic sizes, and of dynamic rank unless given."""
        size = Dimension(rank) if isinstance(rank, int) else rank
        made = PartialShape([])
        made._dims = [Dimension()] * size.get_length() if size is not None and size.is_static else None
        return made

    @property
    def rank(self) -> Dimension:
        """The number of dimensions, which may be dynamic."""
        return Dimension() if self._dims is None else Dimension(len(self._dims))

    @property
    def is_static(self) -> bool:
        """True if the rank and all sizes are known."""
        return self._dims is not None and all(dim.is_static for dim in self._dims)

    @property
    def is_dynamic(self) -> bool:
        """True if the rank or a size is not known."""
        return not self.is_static

    @property
    def all_non_negative(self) -> bool:
        """True if no size is negative; always true."""
        return True

    def to_shape(self) -> Shape:
        """Return the sizes; RuntimeError where one is dynamic."""
        if not self.is_static:
            raise RuntimeError(
                f"the shape {self} is dynamic; get_partial_shape, get_min_shape and get_max_shape know it"
            )
        return Shape([dim.get_length() for dim in self._known()])

    get_shape = to_shape

    def get_min_shape(self) -> Shape:
        """Return the smallest sizes."""
        return Shape([dim.min_length for dim in self._dims or ()])

    def get_max_shape(self) -> Shape:
        """Return the largest sizes; the largest integer where there is no bound."""
        return Shape([UNBOUNDED if dim.max_length == OPEN else dim.max_length for dim in self._dims or ()])

    def get_dimension(self, index: int) -> Dimension:
        """Return a dimension by index; RuntimeError where there is none."""
        return self[index]  # type: ignore[no-any-return]

    def compatible(self, shape: Any) -> bool:
        """Return whether some shape fits both."""
        return as_dims(self).compatible(as_dims(shape))

    def relaxes(self, shape: PartialShape) -> bool:
        """Return whether this shape allows every shape that the other one allows."""
        if self._dims is None or shape._dims is None:
            return self._dims is None
        pairs = zip(self._dims, shape._dims, strict=False)
        return len(self._dims) == len(shape._dims) and all(a.relaxes(b) for a, b in pairs)

    def refines(self, shape: PartialShape) -> bool:
        """Return whether the other shape allows every shape that this one allows."""
        return shape.relaxes(self)

    def same_scheme(self, shape: PartialShape) -> bool:
        """Return whether ranks and sizes are equal, or dynamic in both."""
        if self._dims is None or shape._dims is None:
            return self._dims is None and shape._dims is None
        pairs = zip(self._dims, shape._dims, strict=False)
        return len(self._dims) == len(shape._dims) and all(a.same_scheme(b) for a, b in pairs)

    def _known(self) -> list[Dimension]:
        if self._dims is None:
            raise RuntimeError("the rank is dynamic, so there are no dimensions")
        return self._dims

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self._known())

    def __getitem__(self, key: Any) -> Any:
        try:
            found = self._known()[key]
        except IndexError:
            raise RuntimeError(f"there is no dimension {key} in {self}") from None
        return PartialShape(found) if isinstance(found, list) else found

    def __setitem__(self, key: int, value: int | Dimension) -> None:
        if not isinstance(value, int | Dimension):
            raise TypeError(f"a dimension is an integer or a Dimension, got {value!r}")
        _ = self[key]
        self._known()[key] = as_dimension(value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list | tuple | Shape):
            other = PartialShape(other)
        return isinstance(other, PartialShape) and self._dims == other._dims

    def __copy__(self) -> PartialShape:
        return PartialShape(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> PartialShape:
        return PartialShape(self)

    def __str__(self) -> str:
        """Return the text form, such as [1,?,2..5]."""
        return "[...]" if self._dims is None else f"[{','.join(map(str, self._dims))}]"

    to_string = __str__

    def __repr__(self) -> str:
        return f"<PartialShape: {self}>"


def as_dims(value: Any) -> Dims:
    """Return the shape, as inference has it, of anything that a PartialShape can be made of."""
    if isinstance(value, Dims):
        return value
    shape = value if isinstance(value, PartialShape) else PartialShape(value)
    return Dims(None if shape._dims is None else [as_dim(dim) for dim in shape._dims])


def of_dims(shape: Dims) -> PartialShape:
    """Return the PartialShape of a shape of inference."""
    made = PartialShape([])
    made._dims = None if shape.dims is None else list(map(of_dim, shape.dims))
    return made


def _shape_parsed(text: str) -> Dims:
    word = text.strip()
    if word.startswith("[") != word.endswith("]"):
        raise RuntimeError(f"{text!r} is not a shape: its brackets do not match")
    inside = word.removeprefix("[").removesuffix("]").strip()
    if inside == "...":
        return Dims(None)
    parts = inside.split(",") if inside else []
    if not all(part.strip() for part in parts):
        raise RuntimeError(f"{text!r} is not a shape: a size is missing")
    return Dims([as_dim(Dimension(part)) for part in parts])
