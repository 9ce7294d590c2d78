"""Partial shapes: a known or unknown number of dims, each known exactly, within bounds, or not at all."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final, overload

from irrun.tensor.dim import UNBOUNDED, Dim

_SIZE: Final = re.compile(r"[0-9]{1,40}")

BLANKS: Final = " \t\n\r\f\v"
"""The characters that surround numbers without effect; other blanks of Unicode are no blanks for OpenVINO."""


class Shape:
    """A partial shape; ``dims`` is None where the rank is dynamic.

    Asking a shape of dynamic rank for its dims raises TypeError: guard with ``shape.rank is None`` first.
    """

    __slots__ = ("dims",)

    dims: tuple[Dim, ...] | None

    def __init__(self, dims: Iterable[int | Dim] | None) -> None:
        sizes = () if dims is None else dims
        known = [dim if isinstance(dim, Dim) and dim.lo >= 0 else Dim.of(dim).as_dimension() for dim in sizes]
        self.dims = None if dims is None else tuple(known)

    @staticmethod
    def unknown(rank: int | None = None) -> Shape:
        """Return a shape of unknown dims, or of dynamic rank where ``rank`` is None."""
        return Shape(None if rank is None else [Dim()] * rank)

    @staticmethod
    def parse(text: str) -> Shape:
        """Parse ``2,3``, ``[1,?,2..5]``, ``-1,3``, ``...`` or the empty text of a scalar; ValueError otherwise."""
        text = text.strip(BLANKS).removeprefix("[").removesuffix("]").strip(BLANKS)
        if text == "...":
            return Shape(None)
        return Shape([_parse_dim(part.strip(BLANKS)) for part in text.split(",")] if text else [])

    @property
    def rank(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    @property
    def is_static(self) -> bool:
        return self.dims is not None and not [dim for dim in self.dims if dim.lo != dim.hi]

    @property
    def static(self) -> tuple[int, ...]:
        """The sizes as plain integers; Undecided unless all are known."""
        return tuple([dim.__index__() for dim in self._known()])

    @property
    def lower(self) -> tuple[int, ...]:
        """The lower bound of each size."""
        return tuple([dim.lo for dim in self._known()])

    @property
    def size(self) -> Dim:
        """The number of elements."""
        if self.dims is None:
            return Dim()
        if self.is_static:
            return Dim.exactly(math.prod([dim.lo for dim in self.dims]))
        return math.prod(self.dims, start=Dim.exactly(1))

    def named(self, name: str, *, declared: bool = False) -> Shape:
        """Return the same shape with each unknown dim replaced by a symbol called ``name[axis]``.

        With ``declared``, a dim that a program names keeps its name.
        """
        if self.dims is None or self.is_static:
            return self
        keeps = [dim.is_static or (declared and dim.declared is not None) for dim in self.dims]
        pairs = enumerate(zip(self.dims, keeps, strict=True))
        return Shape([d if kept else Dim.symbol(f"{name}[{axis}]", d.lo, d.hi) for axis, (d, kept) in pairs])

    def compatible(self, other: Shape) -> bool:
        """Return whether one tensor can have both shapes."""
        if self.dims is None or other.dims is None:
            return True
        return len(self.dims) == len(other.dims) and all(map(Dim.compatible, self.dims, other.dims))

    def merge(self, other: Shape) -> Shape | None:
        """Return the shape that satisfies both constraints; None where they contradict each other."""
        if self.dims is None:
            return other
        if other.dims is None:
            return self
        if not self.compatible(other):
            return None
        merged = [a.merge(b) for a, b in zip(self.dims, other.dims, strict=True)]
        return Shape([dim for dim in merged if dim is not None])

    def union(self, other: Shape) -> Shape:
        """Return the narrowest shape that covers both."""
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return Shape(None)
        return Shape([a.union(b) for a, b in zip(self.dims, other.dims, strict=True)])

    def relaxes(self, other: Shape) -> bool:
        """Return whether every tensor of another shape also has this one."""
        if self.dims is None or other.dims is None:
            return self.dims is None
        pairs = zip(self.dims, other.dims, strict=False)
        return len(self.dims) == len(other.dims) and all(a.lo <= b.lo and b.hi <= a.hi for a, b in pairs)

    def admits(self, sizes: tuple[int, ...]) -> bool:
        """Return whether an array of these sizes has this shape."""
        return self.dims is None or (
            len(self.dims) == len(sizes) and all(dim.admits(size) for dim, size in zip(self.dims, sizes, strict=True))
        )

    def _known(self) -> tuple[Dim, ...]:
        if self.dims is None:
            raise TypeError("the rank is dynamic")
        return self.dims

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Dim]:
        return iter(self._known())

    @overload
    def __getitem__(self, index: int) -> Dim: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Dim, ...]: ...
    def __getitem__(self, index: int | slice) -> Dim | tuple[Dim, ...]:
        return self._known()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.dims == other.dims

    def __hash__(self) -> int:
        return hash(self.dims)

    def __str__(self) -> str:
        return "[...]" if self.dims is None else f"[{','.join(map(str, self.dims))}]"

    def __repr__(self) -> str:
        return f"Shape({self})"


def _parse_dim(text: str) -> Dim:
    if text in ("?", "-1"):
        return Dim()
    if ".." in text:
        low, high = text.split("..", 1)
        lo, hi = _size(low or "0"), _size(high) if high else UNBOUNDED
        if lo > hi:
            raise ValueError(f"{text} is not an interval of sizes")
        return Dim._make(lo, hi)
    return Dim.exactly(_size(text))


def _size(text: str) -> int:
    if _SIZE.fullmatch(text) is None:
        raise ValueError(f"{text} is not a size")
    return int(text)
