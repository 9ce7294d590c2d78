"""Symbolic sizes of a program as text: unknown sizes have names, and everything else is an expression of these."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, Final

from irrun.runtime.program import Program
from irrun.runtime.symbolic import Applied, Guard, Number, SymInt
from irrun.tensor.polynomial import Terms

_FLIPPED: Final = {"==": "==", "!=": "!=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}
_INFIX: Final = {operator.floordiv: "//", operator.mod: "%"}

_LONGEST: Final = 60
"""Characters of a function above which it gets a name: a function of functions names each of them several times."""


class Sizes:
    """Names the unknown sizes of a program n0, n1, …, and unknown strides, in bytes, s0, s1, …

    ``buffers`` are the names of its arrays. ``origins`` tells names from the axes of arrays of the run, and those of
    functions with a long text, f0, f1, …, as far as texts with them were asked for.
    """

    def __init__(self, program: Program, buffers: Mapping[int, str]) -> None:
        self._symbols = program.expressions.symbols
        self._names: dict[int, str] = {}
        found: dict[tuple[str, str], list[tuple[str, int]]] = {}
        counts = {"n": 0, "s": 0}
        for buffer, given in sorted(program.given.items(), key=lambda item: item[1].stage):
            for letter, what, atoms in (("n", "sizes", given.shape), ("s", "strides", given.strides)):
                for atom, axis in atoms:
                    self._names[atom] = f"{letter}{counts[letter]}"
                    counts[letter] += 1
                    found.setdefault((what, buffers[buffer]), []).append((self._names[atom], axis))
        self._texts: dict[int, str] = {}
        self._functions: list[str] = []
        self._origins = tuple(
            f"{', '.join(name for name, _ in pairs)} = {what} of {array}, axes {', '.join(str(x) for _, x in pairs)}"
            for (what, array), pairs in found.items()
        )

    @property
    def origins(self) -> tuple[str, ...]:
        return (*self._origins, *self._functions)

    @property
    def guards(self) -> list[str]:
        """The conditions on sizes under which the program is right, without those that others imply."""
        limits: dict[str, _Limits] = {}
        others = set()
        for guard in self._symbols.guards.values():
            left, relation, right = _sides(guard)
            if any(atoms for atoms, _ in right) or not all(isinstance(factor, int) for _, factor in left + right):
                others.add(f"{self._sum(left)} {relation} {self._sum(right)}")
            else:
                limits.setdefault(self._sum(left), _Limits()).add(relation, right[0][1] if right else 0)
        return sorted(others.union(*(found.texts(name) for name, found in limits.items())))

    def text(self, number: Number) -> str:
        """Return an integer, or a polynomial such as ``4*n0 + 8``."""
        return self._sum(number.terms) if isinstance(number, SymInt) else str(number)

    def value(self, number: Number) -> int | str:
        """Return an integer, or the text of one that is only known when a run begins."""
        return self.text(number) if isinstance(number, SymInt) else int(number)

    def shape(self, shape: Sequence[Number]) -> str:
        return ",".join(map(self.text, shape))

    def _sum(self, terms: Terms) -> str:
        """The terms with the most unknowns first, the constant and negative ones last."""
        ordered = sorted(terms, key=lambda term: (bool(term[1] < 0), -len(term[0]), term[0]))
        text = " + ".join(self._product(atoms, factor) for atoms, factor in ordered).replace("+ -", "- ")
        return text or "0"

    def _product(self, atoms: Sequence[int], factor: Any) -> str:
        names = [self._atom(atom) for atom in atoms]
        if not names:
            return f"{factor:g}" if isinstance(factor, float) else str(factor)
        if factor in (1, -1):
            return ("-" if factor < 0 else "") + "*".join(names)
        return "*".join([f"{factor:g}" if isinstance(factor, float) else str(factor), *names])

    def _atom(self, atom: int) -> str:
        applied = self._symbols.applied.get(atom)
        if applied is None:
            return self._names[atom]
        if atom not in self._texts:
            text = self._call(applied)
            if len(text) > _LONGEST:
                self._functions.append(f"f{len(self._functions)} = {text}")
                text = self._functions[-1].partition(" ")[0]
            self._texts[atom] = text
        return self._texts[atom]

    def _call(self, applied: Applied) -> str:
        arguments = [self.text(argument) for argument in applied.arguments]
        infix = _INFIX.get(applied.function)
        if infix is not None:
            left, right = (f"({text})" if " " in text else text for text in arguments)
            return f"({left} {infix} {right})"
        function: Any = applied.function
        if isinstance(function, functools.partial):
            arguments += [f"{name}={value}" for name, value in function.keywords.items()]
            function = function.func
        item = "" if applied.item is None else f"[{applied.item}]"
        return f"{function.__name__}({', '.join(arguments)}){item}"


class _Limits:
    """The bounds that guards set to one polynomial, and the values that they exclude."""

    def __init__(self) -> None:
        self._least: int | None = None
        self._most: int | None = None
        self._others: set[int] = set()

    def add(self, relation: str, number: int) -> None:
        least = {">": number + 1, ">=": number, "==": number}.get(relation)
        most = {"<": number - 1, "<=": number, "==": number}.get(relation)
        if least is not None:
            self._least = least if self._least is None else max(self._least, least)
        if most is not None:
            self._most = most if self._most is None else min(self._most, most)
        if relation == "!=":
            self._others.add(number)

    def texts(self, name: str) -> list[str]:
        least, most = self._least, self._most
        while least in self._others:
            least += 1
        while most in self._others:
            most -= 1
        if least is not None and least == most:
            return [f"{name} == {least}"]
        found = [f"{name} >= {least}"] if least is not None else []
        found += [f"{name} <= {most}"] if most is not None else []
        within = [
            number for number in self._others if (least is None or number >= least) and (most is None or number <= most)
        ]
        return [*found, *(f"{name} != {number}" for number in sorted(within))]


def _sides(guard: Guard) -> tuple[Terms, str, Terms]:
    """Divide by common factors, and keep unknowns with a positive factor on the left: 2*n0 - 2 > 0 is n0 > 1."""
    terms, relation = guard.value.terms, guard.relation
    if all(isinstance(factor, int) for _, factor in terms):
        common = math.gcd(*(factor for _, factor in terms))
        terms = tuple((atoms, factor // common) for atoms, factor in terms)
    if not any(atoms and factor > 0 for atoms, factor in terms):
        terms, relation = tuple((atoms, -factor) for atoms, factor in terms), _FLIPPED[relation]
    left = tuple((atoms, factor) for atoms, factor in terms if atoms and factor > 0)
    return left, relation, tuple((atoms, -factor) for atoms, factor in terms if not atoms or factor < 0)
