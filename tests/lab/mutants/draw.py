"""Choose places in the sources, and a fault for each: another operator, constant or condition, or a call left out."""

from __future__ import annotations

import ast
import dataclasses
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
SOURCES: Final = ("irrun", "kernels/irrun_kernels")

_IN_A_FUNCTION: Final = 2
"""Faults of one function, at most."""

_OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.And: "or",
    ast.Or: "and",
}
"""The operator that takes the place of each."""


@dataclass(frozen=True)
class Mutant:
    """A fault: ``before`` at an offset in a file is replaced by ``after``. ``line`` counts from 1."""

    room: str
    file: str
    function: str
    line: int
    start: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {' '.join(self.before.split())} -> {self.after}"


def draw(seed: int, count: int) -> list[Mutant]:
    """Return faults of a seed. Rooms (folders below the package) have as many as their lines deserve."""
    rng = random.Random(seed)
    rooms: dict[str, list[Path]] = {}
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            rooms.setdefault(room_of(path), []).append(path)
    lines = {room: sum(path.read_bytes().count(b"\n") for path in paths) for room, paths in rooms.items()}
    found: list[Mutant] = []
    for room, number in shares(lines, count).items():
        found += _drawn(rng, [mutant for path in rooms[room] for mutant in mutants(path)], number)
    return found


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return "irrun_kernels" if parts[0] == "kernels" else parts[1] if len(parts) > 2 else "irrun"


def shares(lines: Mapping[str, int], count: int) -> dict[str, int]:
    """Divide ``count`` by the numbers of lines: the largest remainders get what is left."""
    exact = {room: count * number / sum(lines.values()) for room, number in lines.items()}
    whole = {room: int(part) for room, part in exact.items()}
    for room in sorted(exact, key=lambda room: whole[room] - exact[room])[: count - sum(whole.values())]:
        whole[room] += 1
    return whole


def _drawn(rng: random.Random, mutants: Sequence[Mutant], number: int) -> list[Mutant]:
    found: list[Mutant] = []
    functions: Counter[tuple[str, str]] = Counter()
    for mutant in rng.sample(mutants, len(mutants)):
        if len(found) == number:
            break
        place = (mutant.file, mutant.function)
        functions[place] += 1
        if functions[place] <= _IN_A_FUNCTION:
            found.append(mutant)
    return found


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every fault of the functions of a file."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()

    def span(node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def mutant(function: str, line: int, start: int, end: int, after: str) -> Mutant:
        name = str(path.relative_to(ROOT))
        return Mutant(room_of(path), name, function, line, start, data[start:end].decode(), after)

    def between(function: str, left: ast.expr, operator: ast.AST, right: ast.expr) -> Iterator[Mutant]:
        """The fault of an operator, which is between its operands."""
        assert left.end_lineno is not None
        place = mutant(function, left.end_lineno, span(left)[1], span(right)[0], "")
        symbol = re.search(r"[^\s()]+(?: (?:not|in))?", place.before)
        if type(operator) in _OPERATORS and symbol is not None and "#" not in place.before:
            after = place.before[: symbol.start()] + _OPERATORS[type(operator)] + place.before[symbol.end() :]
            yield dataclasses.replace(place, after=after)

    for function, node in _in_functions(ast.parse(text)):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, operator, right in zip(operands, node.ops, node.comparators):  # noqa: B905
                yield from between(function, left, operator, right)
        elif isinstance(node, ast.BinOp):
            yield from between(function, node.left, node.op, node.right)
        elif isinstance(node, ast.BoolOp):
            yield from between(function, node.values[0], node.op, node.values[1])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            sign = mutant(function, node.lineno, span(node)[0], span(node.operand)[0], "")
            if "(" not in sign.before:
                yield sign
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool, float):
            after = str(not node.value) if isinstance(node.value, bool) else repr(node.value + 1)
            yield mutant(function, node.lineno, *span(node), after)
        elif isinstance(node, ast.If | ast.IfExp):
            start, end = span(node.test)
            yield mutant(function, node.test.lineno, start, end, f"not ({data[start:end].decode()})")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield mutant(function, node.lineno, *span(node), "pass")


def _in_functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes inside of functions, each with the qualified name of the innermost function."""

    def walk(node: ast.AST, names: tuple[str, ...], inside: bool) -> Iterator[tuple[str, ast.AST]]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST):
                    continue
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from walk(child, (*names, child.name), True)
                elif isinstance(child, ast.ClassDef):
                    yield from walk(child, (*names, child.name), False)
                else:
                    if inside:
                        yield ".".join(names), child
                    yield from walk(child, names, inside)

    return walk(tree, (), False)
