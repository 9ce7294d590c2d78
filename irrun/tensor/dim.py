"""Symbolic integers for shape arithmetic: exact values, intervals and polynomials over named unknowns."""

from __future__ import annotations

import operator
from typing import Any, Final, SupportsIndex

from irrun.diagnostics import OpError
from irrun.tensor.polynomial import added, divided, multiplied

UNBOUNDED: Final = 2**63 - 1
_MAX_TERMS: Final = 8
_MOST_INTERNED: Final = 4096
_MOST_DIVISORS: Final = 64
_LONGEST: Final = 200
"""Letters of the name of an unknown that is computed from others; beyond that it has none."""

Monomial = tuple[str, ...]
Polynomial = tuple[tuple[Monomial, int], ...]


class Undecided(Exception):
    """The answer to a question about a Dim depends on a value that is not known yet."""


class NegativeSize(OpError):
    """The size of an axis is known to be negative."""

    def __init__(self, size: Dim) -> None:
        super().__init__(f"a size of the result is {size}, which is negative")
        self.size = size


class Declared(str):
    """The name of an unknown size that a program gives to axes, which it says to be equal."""


class Dim:
    """An integer between ``lo`` and ``hi`` inclusive, optionally with a symbolic expression.

    ``expr`` is a polynomial with integer coefficients over named unknowns, by which two equal sums, differences or
    products of the same unknown compare equal. ``Dim()`` is any size from 0 up, ``Dim(5)`` exactly five.
    """

    __slots__ = ("expr", "hi", "lo")

    lo: int
    hi: int
    expr: Polynomial | None

    def __new__(cls, lo: int | None = None, hi: int | None = None) -> Dim:
        if lo is None:
            return cls._make(0, UNBOUNDED if hi is None else hi)
        return cls.exactly(lo) if hi is None else cls._make(lo, hi)

    _interned: Final[dict[int, Dim]] = {}

    @classmethod
    def _make(cls, lo: int, hi: int, expr: Polynomial | None = None) -> Dim:
        self = object.__new__(cls)
        self.lo = min(max(lo, -UNBOUNDED), UNBOUNDED)
        self.hi = min(max(hi, -UNBOUNDED), UNBOUNDED)
        self.expr = expr if self.lo != self.hi else None
        return self

    @classmethod
    def exactly(cls, value: SupportsIndex) -> Dim:
        value = operator.index(value)
        known = cls._interned.get(value)
        if known is None:
            known = cls._make(value, value)
            if 0 <= value < _MOST_INTERNED:
                cls._interned[value] = known
        return known

    @classmethod
    def symbol(cls, name: str, lo: int = 0, hi: int = UNBOUNDED) -> Dim:
        """An unknown integer; two with the same name are equal."""
        return cls._make(lo, hi, (((name,), 1),))

    @classmethod
    def anything(cls) -> Dim:
        """An integer without bounds: an unknown element of a shape tensor, which may be negative."""
        return cls._make(-UNBOUNDED, UNBOUNDED)

    @classmethod
    def of(cls, value: Any) -> Dim:
        return value if isinstance(value, Dim) else cls.exactly(value)

    @property
    def is_static(self) -> bool:
        return self.lo == self.hi

    @property
    def is_determined(self) -> bool:
        """True where the integer is known, or known in terms of the sizes of Parameters."""
        return self.lo == self.hi or self.expr is not None

    @property
    def declared(self) -> Declared | None:
        """The name by which a program declares the size, if it has one."""
        atoms, factor = self.expr[0] if self.expr is not None and len(self.expr) == 1 else ((), 0)
        atom = atoms[0] if len(atoms) == 1 and factor == 1 else None
        return atom if isinstance(atom, Declared) else None

    def as_dimension(self) -> Dim:
        """Return the same integer with a lower bound of 0, as the size of an axis.

        NegativeSize where it is known to be negative.
        """
        if self.lo >= 0:
            return self
        if self.hi < 0:
            raise NegativeSize(self)
        return Dim._make(0, self.hi, self.expr)

    # -- relations between two dims

    def admits(self, value: int) -> bool:
        return self.lo <= value <= self.hi

    def compatible(self, other: Dim) -> bool:
        """Return whether the two intervals overlap, so that both may be the same number."""
        return self.lo <= other.hi and other.lo <= self.hi

    def merge(self, other: Dim) -> Dim | None:
        """Return the dim that satisfies both constraints; None where they contradict each other."""
        if not self.compatible(other):
            return None
        return Dim._make(max(self.lo, other.lo), min(self.hi, other.hi), self.expr or other.expr)

    def union(self, other: Dim) -> Dim:
        """Return the narrowest dim that covers both."""
        same = self.expr is not None and self.expr == other.expr
        return Dim._make(min(self.lo, other.lo), max(self.hi, other.hi), self.expr if same else None)

    def broadcast(self, other: Dim) -> Dim:
        """Return the size of two axes that are broadcast together, either of which may be 1."""
        union = self.union(other)
        return union if union.is_determined else Dim._make(union.lo, union.hi, _together(self, other))

    # -- arithmetic

    def _polynomial(self) -> Polynomial | None:
        if self.is_static:
            return ((((), self.lo),)) if self.lo else ()
        return self.expr

    def __add__(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self.lo == self.hi and other.lo == other.hi:
            return Dim.exactly(self.lo + other.lo)
        a, b = self._polynomial(), other._polynomial()
        expr = _limited(added(a, b)) if a is not None and b is not None else None
        return _from(expr, _add(self.lo, other.lo), _add(self.hi, other.hi))

    def __sub__(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self.lo == self.hi and other.lo == other.hi:
            return Dim.exactly(self.lo - other.lo)
        a, b = self._polynomial(), other._polynomial()
        expr = _limited(added(a, b, -1)) if a is not None and b is not None else None
        return _from(expr, _add(self.lo, -other.hi), _add(self.hi, -other.lo))

    def __mul__(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self.lo == self.hi and other.lo == other.hi:
            return Dim.exactly(self.lo * other.lo)
        corners = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        a, b = self._polynomial(), other._polynomial()
        expr = _limited(multiplied(a, b)) if a is not None and b is not None else None
        return _from(expr, min(corners), max(corners))

    def __floordiv__(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self.lo == self.hi and other.lo == other.hi and other.lo:
            return Dim.exactly(self.lo // other.lo)
        a, b = self._polynomial(), other._polynomial()
        exact = _limited(divided(a, b)) if a is not None and b is not None else None
        if other.lo <= 0:
            return _from(exact, -UNBOUNDED, UNBOUNDED)
        corners = [_floordiv(n, d) for n in (self.lo, self.hi) for d in (other.lo, other.hi)]
        opaque = _opaque(self, "//", other) if exact is None else exact
        return _from(opaque, min(corners), max(corners))

    def __mod__(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self.lo == self.hi and other.lo == other.hi and other.lo:
            return Dim.exactly(self.lo % other.lo)
        if other.lo <= 0:
            return Dim.anything()
        a, b = self._polynomial(), other._polynomial()
        if a is not None and b is not None and _limited(divided(a, b)) is not None:
            return Dim.exactly(0)
        return _from(_opaque(self, "%", other), *_remainders(self, other))

    def __neg__(self) -> Dim:
        return Dim.exactly(0) - self

    def __abs__(self) -> Dim:
        return self if self.lo >= 0 else self.maximum(-self)

    def __radd__(self, other: Any) -> Dim:
        return self.__add__(other)

    def __rsub__(self, other: Any) -> Dim:
        return Dim.of(other) - self

    def __rmul__(self, other: Any) -> Dim:
        return self.__mul__(other)

    def __rfloordiv__(self, other: Any) -> Dim:
        return Dim.of(other) // self

    def __rmod__(self, other: Any) -> Dim:
        return Dim.of(other) % self

    def ceil_div(self, other: Any) -> Dim:
        return (-self).__floordiv__(other).__neg__()

    def minimum(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self == other or self.hi <= other.lo:
            return self
        if other.hi <= self.lo:
            return other
        return Dim._make(min(self.lo, other.lo), min(self.hi, other.hi), _opaque(self, "min", other))

    def maximum(self, number: Any) -> Dim:
        other = Dim.of(number)
        if self == other or self.lo >= other.hi:
            return self
        if other.lo >= self.hi:
            return other
        return Dim._make(max(self.lo, other.lo), max(self.hi, other.hi), _opaque(self, "max", other))

    # -- comparison and conversion

    def __eq__(self, other: object) -> bool:
        """Return whether both are known to be the same number."""
        if isinstance(other, int):
            return self.lo == other == self.hi
        if not isinstance(other, Dim):
            return NotImplemented
        if self.lo == self.hi or other.lo == other.hi:
            return self.lo == other.lo and self.hi == other.hi
        return self is other or (self.expr is not None and self.expr == other.expr)

    def __hash__(self) -> int:
        return hash(self.lo) if self.is_static else hash((self.lo, self.hi, self.expr))

    def __lt__(self, other: Any) -> bool:
        gap = self - other
        if gap.hi < 0:
            return True
        if gap.lo >= 0:
            return False
        raise Undecided(f"{self} < {other}")

    def __le__(self, other: Any) -> bool:
        return self < Dim.of(other) + 1

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __bool__(self) -> bool:
        if self.lo > 0 or self.hi < 0:
            return True
        if self.is_static:
            return False
        raise Undecided(f"whether {self} is zero")

    def __index__(self) -> int:
        if self.lo != self.hi:
            raise Undecided(f"the value of {self}")
        return self.lo

    __int__ = __index__

    def __str__(self) -> str:
        if self.is_static:
            return str(self.lo)
        if self.lo <= 0 and self.hi == UNBOUNDED:
            return "?"
        return f"{'' if self.lo == -UNBOUNDED else self.lo}..{'' if self.hi == UNBOUNDED else self.hi}"

    def __repr__(self) -> str:
        return f"Dim({self}{'' if self.expr is None else ' = ' + _render(self.expr)})"


def _add(a: int, b: int) -> int:
    if abs(a) >= UNBOUNDED:
        return a
    return b if abs(b) >= UNBOUNDED else a + b


def _floordiv(a: int, b: int) -> int:
    return a if abs(a) >= UNBOUNDED and b < UNBOUNDED else a // b


def _remainders(a: Dim, b: Dim) -> tuple[int, int]:
    """Return the bounds of ``a % b``: exact ones for few divisors, or a known quotient. Divisors are positive."""
    if a.lo < 0:
        return 0, b.hi - 1
    quotient = a.lo // b.hi
    if quotient == a.hi // b.lo:
        return (a.lo - quotient * b.hi, a.hi - quotient * b.lo) if quotient else (a.lo, a.hi)
    if b.hi - b.lo >= _MOST_DIVISORS:
        return 0, min(b.hi - 1, a.hi)
    whole = [(a.lo % d, a.hi % d) if a.lo // d == a.hi // d else (0, d - 1) for d in range(b.lo, b.hi + 1)]
    return min(low for low, _ in whole), min(max(high for _, high in whole), a.hi)


def _from(expr: Polynomial | None, lo: int, hi: int) -> Dim:
    if expr is not None and all(not monomial for monomial, _ in expr):
        return Dim.exactly(expr[0][1] if expr else 0)
    return Dim._make(lo, hi, expr)


def _limited(polynomial: Polynomial | None) -> Polynomial | None:
    """Return a polynomial that has few enough terms."""
    return None if polynomial is None or len(polynomial) > _MAX_TERMS else polynomial


def _opaque(a: Dim, operator: str, b: Dim) -> Polynomial | None:
    left, right = a._polynomial(), b._polynomial()
    if left is None or right is None:
        return None
    name = f"({_render(left)} {operator} {_render(right)})"
    return (((name,), 1),) if len(name) < _LONGEST else None


class _Together(str):
    """The name of a size of axes that are broadcast together: their own names, in any order and each once."""

    names: frozenset[str]

    def __new__(cls, names: frozenset[str]) -> _Together:
        self = super().__new__(cls, f"({' & '.join(sorted(names))})")
        self.names = names
        return self

    def __reduce__(self) -> tuple[type[_Together], tuple[frozenset[str]]]:
        return _Together, (self.names,)


def _together(*dims: Dim) -> Polynomial | None:
    names: set[str] = set()
    for dim in dims:
        polynomial = dim._polynomial()
        if polynomial is None:
            return None
        atoms, factor = polynomial[0] if len(polynomial) == 1 else ((), 0)
        atom = atoms[0] if len(atoms) == 1 and factor == 1 else None
        names |= atom.names if isinstance(atom, _Together) else {_render(polynomial)}
    made = _Together(frozenset(names))
    return (((made,), 1),) if len(made) < _LONGEST else None


def _render(polynomial: Polynomial) -> str:
    def term(monomial: Monomial, factor: int) -> str:
        atoms = "*".join(monomial)
        if not atoms:
            return str(factor)
        return atoms if factor == 1 else f"{factor}*{atoms}"

    return "+".join(term(monomial, factor) for monomial, factor in polynomial) or "0"
