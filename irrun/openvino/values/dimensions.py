"""Sizes of dimensions, as OpenVINO's ``Dimension``."""

from __future__ import annotations

import re
from itertools import count
from typing import Any, Final, TypeGuard

import numpy as np

from irrun.openvino.values.keywords import also_named
from irrun.tensor import UNBOUNDED, Declared, Dim

OPEN: Final = -1


_NUMBERS: Final = count(1)


class Symbol:
    """A mark for dimensions that are known to be equal."""

    def __init__(self) -> None:
        self._name = _SymbolName(f"symbol {next(_NUMBERS)}")
        self._name.symbol = self


class _SymbolName(Declared):
    """The name by which inference knows a symbol."""

    symbol: Symbol


class Dimension:
    """The size of an axis: a number, an interval, or any. An upper bound of -1 is none."""

    __slots__ = ("_high", "_low", "_symbol")
    __hash__: None = None  # type: ignore[assignment]

    @also_named("min_dimension", "dimension", "str")
    def __init__(self, min_dimension: int | str | None = None, max_dimension: int | None = None) -> None:
        self._symbol: Symbol | None = None
        if isinstance(min_dimension, str) and max_dimension is None:
            self._low, self._high = _parsed(min_dimension)
            return
        if not _is_int(min_dimension) or not _is_int(max_dimension):
            raise TypeError(
                f"a Dimension is made of one or two integers, or of a string, got {min_dimension!r}, {max_dimension!r}"
            )
        if max_dimension is None:
            max_dimension = OPEN if min_dimension is None or min_dimension == OPEN else max(min_dimension, 0)
        self._low, self._high = _ordered(max(min_dimension or 0, 0), max(max_dimension, OPEN))

    @staticmethod
    def dynamic() -> Dimension:
        """Return a dimension of any size."""
        return Dimension()

    @property
    def is_static(self) -> bool:
        """True if the size is known."""
        return self._low == self._high

    @property
    def is_dynamic(self) -> bool:
        """True if several sizes are possible."""
        return not self.is_static

    def get_min_length(self) -> int:
        """Return the smallest size."""
        return self._low

    def get_max_length(self) -> int:
        """Return the largest size; -1 where there is none."""
        return self._high

    min_length: property = property(get_min_length)
    max_length: property = property(get_max_length)

    def get_length(self) -> int:
        """Return the size; RuntimeError where it is dynamic."""
        if self.is_dynamic:
            raise RuntimeError(f"the dimension {self} is dynamic and has no length")
        return self._low

    def compatible(self, dim: Dimension) -> bool:
        """Return whether some size fits both dimensions."""
        return as_dim(self).compatible(as_dim(dim))

    def relaxes(self, dim: Dimension) -> bool:
        """Return whether this dimension allows every size that the other one allows."""
        a, b = as_dim(self), as_dim(dim)
        return a.lo <= b.lo and b.hi <= a.hi

    def refines(self, dim: Dimension) -> bool:
        """Return whether the other dimension allows every size that this one allows."""
        return dim.relaxes(self)

    def same_scheme(self, dim: Dimension) -> bool:
        """Return whether the dimensions are equal, or both dynamic."""
        return (self.is_dynamic and dim.is_dynamic) or self == dim

    def has_symbol(self) -> bool:
        """Return whether the dimension was given a symbol."""
        return self._symbol is not None

    def get_symbol(self) -> Symbol | None:
        """Return the symbol that the dimension was given."""
        return self._symbol

    def set_symbol(self, symbol: Symbol) -> None:
        """Give the dimension a symbol."""
        self._symbol = symbol

    def __len__(self) -> int:
        return self.get_length()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            other = Dimension(other)
        return isinstance(other, Dimension) and (self._low, self._high) == (other._low, other._high)

    def __str__(self) -> str:
        """Return the text form, such as 3, ? or 2..5."""
        if self.is_static:
            return str(self._low)
        if self._low == 0:
            return "?" if self._high == OPEN else f"..{self._high}"
        return f"{self._low}..{'' if self._high == OPEN else self._high}"

    to_string = __str__

    def __repr__(self) -> str:
        return f"<Dimension: {self}>"


def as_dimension(value: Any) -> Dimension:
    """Return a Dimension for an integer, a text such as ``2..5``, a pair of bounds, or a Dimension."""
    if isinstance(value, Dimension):
        return value
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise TypeError(f"an interval has two bounds, got {value!r}")
        return Dimension(*value)
    if value is None or not isinstance(value, int | str):
        raise TypeError(f"a dimension is an integer, a string, a pair of bounds or a Dimension, got {value!r}")
    return Dimension(value)


def as_dim(value: Dimension) -> Dim:
    """Return the interval of a Dimension, with its symbol."""
    low, high = value.min_length, UNBOUNDED if value.max_length == OPEN else value.max_length
    symbol = value.get_symbol()
    return Dim(low, high) if symbol is None else Dim.symbol(symbol._name, low, high)


def of_dim(dim: Dim) -> Dimension:
    """Return the Dimension of a size of inference, with the symbol that a program gave it."""
    made = Dimension(dim.lo, OPEN if dim.hi == UNBOUNDED else dim.hi)
    name = dim.declared
    if isinstance(name, _SymbolName):
        made.set_symbol(name.symbol)
    return made


def _is_int(value: Any) -> TypeGuard[int | None]:
    return value is None or (isinstance(value, int | np.integer) and not isinstance(value, bool))


def _parsed(text: str) -> tuple[int, int]:
    word = text.strip()
    if word in ("?", "-1"):
        return 0, OPEN
    low, dots, high = word.partition("..")
    if any(bound and not re.fullmatch("-?[0-9]+", bound) for bound in (low, high)):
        raise RuntimeError(f"{text!r} is not a dimension, expected a number, ? or an interval such as 2..5")
    first = max(int(low or 0), 0)
    return _ordered(first, max(int(high or OPEN), OPEN)) if dots else (first, first)


def _ordered(low: int, high: int) -> tuple[int, int]:
    """Return the bounds of an interval; those of any size where they are in the wrong order."""
    return (0, OPEN) if OPEN < high < low else (int(low), int(high))
