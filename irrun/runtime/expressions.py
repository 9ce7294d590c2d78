"""Compute the symbolic integers of a program for the sizes of a run."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from irrun.runtime.symbolic import Applied, Number, Symbols, SymFloat, SymInt

_INLINE: Final = {operator.floordiv: "//", operator.mod: "%"}


@dataclass
class Expressions:
    """The numbers that a program needs, each once, by number."""

    symbols: Symbols
    items: list[Number] = field(default_factory=list)
    _numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, value: Number) -> int:
        """The number of an expression or a constant; a float is the bits of an f64."""
        if isinstance(value, float):
            value = _bits(value)
        key = value.terms if isinstance(value, SymInt) else value
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.items)
            self.items.append(value)
        return found


class StageWriter:
    """Writes the function of a stage as Python."""

    def __init__(self, expressions: Expressions, stage: int) -> None:
        self._expressions = expressions
        self._symbols = expressions.symbols
        self._stage = stage
        self._functions: list[Callable[..., Any]] = []
        self._lines: list[str] = []
        self._written: set[int] = set()
        self._tuples: dict[str, str] = {}

    def function(self) -> tuple[Callable[[list[Any]], list[int] | None], list[int]]:
        """Return a function, and the numbers of the expressions that it returns: those that the stage makes known.

        It takes the values of atoms, of which it writes those that it computes, and returns None where a guard fails.
        Floats are returned as the bits of an f64.
        """
        guards = [
            f"{self._text(guard.value)} {guard.relation} 0"
            for guard in self._symbols.guards.values()
            if guard.value.stage == self._stage
        ]
        if guards:
            self._lines.append(f"if not ({' and '.join(guards)}): return None")
        items = list(enumerate(self._expressions.items))
        numbers = [number for number, item in items if isinstance(item, SymInt) and item.stage == self._stage]
        values = ", ".join(self._word(self._expressions.items[number]) for number in numbers)
        source = "\n    ".join(["def evaluate(v):", *self._lines, f"return [{values}]"])
        scope: dict[str, Any] = {"f": self._functions, "bits": _bits, "inf": math.inf, "nan": math.nan}
        exec(source, scope)
        return scope["evaluate"], numbers

    def _word(self, number: SymInt) -> str:
        return f"bits({self._text(number)})" if isinstance(number, SymFloat) else self._text(number)

    def _text(self, number: Number) -> str:
        if not isinstance(number, SymInt):
            return repr(number)
        return "(" + "+".join(self._product(monomial, factor) for monomial, factor in number.terms) + ")"

    def _product(self, monomial: Sequence[int], factor: float) -> str:
        for atom in monomial:
            self._require(atom)
        atoms = [f"v[{atom}]" for atom in monomial]
        return "*".join([*([repr(factor)] if factor != 1 or not atoms else []), *atoms])

    def _require(self, atom: int) -> None:
        """Compute an atom that is a function of others. No earlier stage may have needed it."""
        applied = self._symbols.applied.get(atom)
        if applied is None or atom in self._written:
            return
        self._written.add(atom)
        value = self._call(applied)
        self._lines.append(f"v[{atom}] = {value}")

    def _call(self, applied: Applied) -> str:
        arguments = [self._text(argument) for argument in applied.arguments]
        operation = _INLINE.get(applied.function)
        if operation is not None:
            return f"{arguments[0]} {operation} {arguments[1]}"
        if applied.function not in self._functions:
            self._functions.append(applied.function)
        call = f"f[{self._functions.index(applied.function)}]({', '.join(arguments)})"
        if applied.item is None:
            return call
        if call not in self._tuples:
            self._tuples[call] = f"t{len(self._tuples)}"
            self._lines.append(f"{self._tuples[call]} = {call}")
        return f"{self._tuples[call]}[{applied.item}]"


def _bits(number: float) -> int:
    """The bits of an f64, as an integer."""
    found: int = struct.unpack("q", struct.pack("d", number))[0]
    return found
