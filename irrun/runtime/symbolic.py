"""Symbolic integers: sizes that are known only when a run begins, and what lowering computes from them.

A program is lowered once, with the sizes of one run as *hints*. Arithmetic on a `SymInt` gives another one. A
comparison is answered by the hints, and becomes a *guard*: the program is right for all sizes for which its guards
hold.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from irrun.tensor.polynomial import Terms, added, divided, multiplied

Number = Any
"""An int, or a SymInt; in estimates of time also a float."""


class NotWhole(Exception):
    """A symbolic number is asked for something that has no integer answer for all sizes."""


class Applied(NamedTuple):
    """A function of integers, and its arguments; ``item`` is the number of the item of a result that is a tuple."""

    function: Callable[..., Any]
    arguments: tuple[Number, ...]
    item: int | None


class Guard(NamedTuple):
    """A condition: ``value`` compared with 0."""

    value: SymInt
    relation: str


class Symbols:
    """The unknown sizes of a program, which are atoms of its symbolic integers, with what is computed from them.

    ``stages`` has a number for each atom: that of the first stretch of the program before which it is known.
    """

    def __init__(self) -> None:
        self.hints: list[Any] = []
        self.stages: list[int] = []
        self.applied: dict[int, Applied] = {}
        self.guards: dict[Hashable, Guard] = {}
        self.forbids_fixing = False
        self._known: dict[Hashable, int] = {}

    def unknown(self, hint: int, stage: int) -> SymInt:
        """A size, at least 0, that has this value in the run that is lowered."""
        return SymInt(self, (((self._atom(hint, stage),), 1),), hint)

    def _atom(self, hint: Any, stage: int) -> int:
        self.hints.append(hint)
        self.stages.append(stage)
        return len(self.hints) - 1

    def apply(self, function: Callable[..., Any], arguments: Sequence[Number], index: int | None = None) -> SymInt:
        """The value of a function of numbers, or an item of it."""
        key = (function, index, tuple([each.terms if isinstance(each, SymInt) else each for each in arguments]))
        atom = self._known.get(key)
        if atom is None:
            hints = [hint_of(each) for each in arguments]
            hint = function(*hints) if index is None else function(*hints)[index]
            stage = max((each.stage for each in arguments if isinstance(each, SymInt)), default=0)
            atom = self._known[key] = self._atom(hint, stage)
            self.applied[atom] = Applied(function, tuple(arguments), index)
        hint = self.hints[atom]
        return (SymFloat if isinstance(hint, float) else SymInt)(self, (((atom,), 1),), hint)

    def require(self, value: SymInt, relation: str) -> None:
        """Add a guard."""
        self.guards.setdefault((value.terms, relation), Guard(value, relation))


class SymInt:
    """A polynomial over unknown sizes, with its value in the run that is lowered."""

    __slots__ = ("hint", "symbols", "terms")

    def __init__(self, symbols: Symbols, terms: Terms, hint: Any) -> None:
        self.symbols: Symbols = symbols
        self.terms: Terms = terms
        self.hint: Any = hint

    @property
    def atom(self) -> int:
        """The number of the only atom of an unknown size."""
        (((atom,), _),) = self.terms
        return int(atom)

    @property
    def stage(self) -> int:
        """The stretch of the program before which it is known."""
        return max(self.symbols.stages[atom] for monomial, _ in self.terms for atom in monomial)

    def of_terms(self, terms: Terms) -> Number:
        """The polynomial of the same unknown sizes with these terms; an int where it is constant."""
        if not terms or (len(terms) == 1 and not terms[0][0]):
            return terms[0][1] if terms else 0
        hints = self.symbols.hints
        hint = sum(factor * math.prod(hints[atom] for atom in monomial) for monomial, factor in terms)
        return SymInt(self.symbols, terms, hint)

    def __add__(self, other: Number) -> Number:
        return self.of_terms(added(self.terms, _terms(other)))

    def __mul__(self, other: Number) -> Number:
        if other.__class__ is int:
            terms = tuple([(monomial, factor * other) for monomial, factor in self.terms])
            return SymInt(self.symbols, terms, self.hint * other) if other else 0
        return self.of_terms(multiplied(self.terms, _terms(other)))

    def __neg__(self) -> Number:
        return self * -1

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __rsub__(self, other: Number) -> Number:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, other: Number) -> Number:
        exact = self.quotient(other)
        return self.symbols.apply(operator.floordiv, (self, other)) if exact is None else exact

    def __rfloordiv__(self, other: Number) -> Number:
        return self.symbols.apply(operator.floordiv, (other, self))

    def __mod__(self, other: Number) -> Number:
        return self.symbols.apply(operator.mod, (self, other)) if self.quotient(other) is None else 0

    def __rmod__(self, other: Number) -> Number:
        return self.symbols.apply(operator.mod, (other, self))

    def __divmod__(self, other: Number) -> tuple[Number, Number]:
        return self // other, self % other

    def __rdivmod__(self, other: Number) -> tuple[Number, Number]:
        return other // self, other % self

    def _refused(self, *_: Any) -> Any:
        raise NotWhole(f"arithmetic of {self}")

    __truediv__ = __rtruediv__ = __pow__ = __float__ = _refused

    def __abs__(self) -> Number:
        return self if self >= 0 else -self

    def quotient(self, other: Number) -> Number | None:
        """The exact quotient for all sizes; None where there is none."""
        terms = divided(self.terms, _terms(other))
        return None if terms is None else self.of_terms(terms)

    def _holds(self, relation: str) -> bool:
        """Compare with 0, by the hint, and remember the answer."""
        answer: bool = RELATIONS[relation](self.hint, 0)
        if relation in (">=", ">") and answer and self.is_positive(relation):
            return True
        if relation == ">" and (-self).is_positive(">="):
            return False
        self.symbols.require(self, relation if answer else _OPPOSITE[relation])
        return answer

    def is_positive(self, relation: str) -> bool:
        """Return whether a comparison with 0 holds because sizes are at least 0."""
        applied = self.symbols.applied
        if any(factor < 0 or any(atom in applied for atom in monomial) for monomial, factor in self.terms):
            return False
        return relation == ">=" or self.terms[0][0] == ()

    def __eq__(self, other: object) -> bool:
        """Return whether both are equal; of sizes that calls find, whether they always are, without a guard."""
        if not isinstance(other, int | float | SymInt):
            return NotImplemented
        gap = self - other
        return not is_found(gap) and _compared(gap, "==")

    def __hash__(self) -> int:
        return hash(self.hint)

    def __lt__(self, other: Number) -> bool:
        return _compared(other - self, ">")

    def __le__(self, other: Number) -> bool:
        return _compared(other - self, ">=")

    def __gt__(self, other: Number) -> bool:
        return _compared(self - other, ">")

    def __ge__(self, other: Number) -> bool:
        return _compared(self - other, ">=")

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        """Fix the value, unless that is forbidden."""
        if self.symbols.forbids_fixing:
            raise NotWhole(f"the value of {self}")
        self.symbols.require(self - self.hint, "==")
        return int(self.hint)

    __int__ = __index__

    def __repr__(self) -> str:
        text = "+".join(
            "*".join([*([str(f)] if f != 1 or not m else []), *(f"s{a}" for a in m)]) for m, f in self.terms
        )
        return f"<{text} = {self.hint}>"


class SymFloat(SymInt):
    """A float that a function of sizes returns; it is known to other functions of sizes, and to kernels."""

    __slots__ = ()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = SymInt._refused
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __index__ = __int__ = SymInt._refused
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = SymInt._refused
    __hash__ = SymInt.__hash__


RELATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_OPPOSITE: Final = {"==": "!=", "!=": "==", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}


def _terms(number: Number) -> Terms:
    if isinstance(number, SymInt):
        return number.terms
    return (((), number),) if number else ()


def _compared(gap: Number, relation: str) -> bool:
    return gap._holds(relation) if isinstance(gap, SymInt) else RELATIONS[relation](gap, 0)


def hint_of(number: Number) -> Any:
    """The value of a number in the run that is lowered."""
    return number.hint if isinstance(number, SymInt) else number


def is_same(a: Number, b: Number) -> bool:
    """Return whether two numbers are equal for all sizes."""
    return _terms(a) == _terms(b)


_LAST_PRELUDE: Final = 1


def is_found(size: Number) -> bool:
    """Return whether calls find a size in the middle of a run."""
    return isinstance(size, SymInt) and size.stage > _LAST_PRELUDE


def as_many(number: Number) -> Number:
    """The number if calls find many of everything: it tells which of two products of sizes is larger."""
    if not is_found(number):
        return number
    stages = number.symbols.stages
    terms: Terms = ()
    for monomial, factor in number.terms:
        found = sum(stages[atom] > _LAST_PRELUDE for atom in monomial)
        rest = tuple(atom for atom in monomial if stages[atom] <= _LAST_PRELUDE)
        terms = added(terms, ((rest, factor * _MANY**found),))
    return number.of_terms(terms)


_MANY: Final = 1 << 20

_Function = TypeVar("_Function", bound=Callable[..., Any])


def of_sizes(function: _Function) -> _Function:
    """Let a function of integers take symbolic ones: it is called again for the sizes of each run.

    It returns a number or a tuple of numbers; its keyword arguments are constants.
    """

    @functools.wraps(function)
    def traced(*arguments: Any, **options: Any) -> Any:
        symbols = next((each.symbols for each in arguments if isinstance(each, SymInt)), None)
        if symbols is None:
            return function(*arguments, **options)
        call = _with_options(function, tuple(sorted(options.items()))) if options else function
        sample = call(*map(hint_of, arguments))
        if not isinstance(sample, tuple):
            return symbols.apply(call, arguments)
        items = [symbols.apply(call, arguments, index) for index in range(len(sample))]
        made: Any = type(sample)
        return made(*items) if hasattr(sample, "_fields") else tuple(items)

    return traced  # type: ignore[return-value]


@functools.cache
def _with_options(function: Callable[..., Any], options: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    return functools.partial(function, **dict(options))


_MIN: Final = of_sizes(min)
_MAX: Final = of_sizes(max)


def least(*numbers: Number) -> Number:
    """The smallest of some numbers."""
    return _extreme(_MIN, numbers, lambda a, b: b - a)


def largest(*numbers: Number) -> Number:
    """The largest of some numbers."""
    return _extreme(_MAX, numbers, lambda a, b: a - b)


def _extreme(function: Callable[..., Any], numbers: Sequence[Number], lead: Callable[..., Number]) -> Number:
    """The result of min or max, without numbers of which another is in the lead for all sizes."""
    kept: list[Number] = []
    for number in numbers:
        if not any(_is_natural(lead(other, number)) for other in kept):
            kept = [*(other for other in kept if not _is_natural(lead(number, other))), number]
    return kept[0] if len(kept) == 1 else function(*kept)


def _is_natural(number: Number) -> bool:
    """Return whether a number is at least 0 for all sizes."""
    return number.is_positive(">=") if isinstance(number, SymInt) else number >= 0
