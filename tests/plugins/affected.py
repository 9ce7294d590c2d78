"""``pytest --affected``: the tests that can see what has changed since ``pytest --all --record``.

The record has, for each test, the functions that it called and the files that it read, and a digest of each function
(without comments and docstrings) and file. It is in the cache of pytest. A test is affected if it called a function
that has changed, or is new. Three things have no calls, so that names decide:

* code outside of functions affects the tests that call any function of its file, and for a declaration of operations
  those that are named after one of them;
* a compiled kernel affects the tests that call what imports it in the runtime, or imports what imports it;
* a file of data affects the tests that read it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.cases import named_after
from tests.plugins.calls import ROOT

KERNELS: Final = "kernels/irrun_kernels/"
RUNTIME: Final = "irrun/runtime/"
OUTSIDE: Final = "<module>"
"""The name of the code of a file outside of functions."""

WHOLE: Final = ""
"""The name of the bytes of a file."""


class Record(NamedTuple):
    """The calls of all tests, as ``--record`` found them."""

    seconds: dict[str, float]
    """The tests, and the seconds of each."""

    tests: dict[str, int]
    """The tests of each function and file, as bits of a number."""

    digests: dict[str, dict[str, str]]
    """The digest of each file, and of each of its functions."""

    @classmethod
    def read(cls, path: Path) -> Record | None:
        if not path.exists():
            return None
        seconds, tests, digests = json.loads(zlib.decompress(path.read_bytes()))
        return cls(seconds, {name: int(bits, 16) for name, bits in tests.items()}, digests)

    def write(self, path: Path) -> None:
        tests = {name: f"{bits:x}" for name, bits in self.tests.items()}
        path.write_bytes(zlib.compress(json.dumps([self.seconds, tests, self.digests]).encode(), 1))


def recorded(calls: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> Record:
    """Return the record of what tests called."""
    tests: dict[str, int] = {}
    for number, test in enumerate(seconds):
        for name in calls.get(test, ()):
            tests[name] = tests.get(name, 0) | 1 << number
    files = {*(name.partition("::")[0] for name in tests), *sources()}
    return Record(dict(seconds), tests, {file: digests_of(file) for file in sorted(files) if (ROOT / file).is_file()})


def sources() -> Iterator[str]:
    for folder in ("irrun", "kernels", "tests", "tools"):
        for path in (ROOT / folder).rglob("*.py"):
            yield path.relative_to(ROOT).as_posix()


def digests_of(file: str) -> dict[str, str]:
    """Return the digests of a file, and of its functions if it is one of Python."""
    data = (ROOT / file).read_bytes()
    return {WHOLE: _digest(data), **(functions_of(data) if file.endswith(".py") else {})}


def functions_of(source: bytes) -> dict[str, str]:
    """Return the digest of each function, and of what is outside of functions, without comments and docstrings."""
    return {name: _digest(text.encode()) for name, text in _parts(ast.parse(source)).items()}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def changed(record: Record) -> Iterator[str]:
    """Yield the functions and files that differ from those of the record, or are in one of both only."""
    for file in {*record.digests, *sources()}:
        before, path = record.digests.get(file, {}), ROOT / file
        if path.is_file() and before.get(WHOLE) == _digest(path.read_bytes()):
            continue
        now = digests_of(file) if path.is_file() else {}
        names = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        yield from (f"{file}::{name}" if name else file for name in names if name or not file.endswith(".py"))


def _parts(tree: ast.Module) -> dict[str, str]:
    """Return the code of each function, and of what is outside of functions, without docstrings."""
    found: dict[str, str] = {OUTSIDE: ""}

    def visit(node: ast.Module | ast.ClassDef, prefix: str) -> None:
        for child in [*node.body]:
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if isinstance(child.body[0], ast.Expr) and isinstance(child.body[0].value, ast.Constant):
                    child.body = child.body[1:] or [ast.Pass()]
                name = f"{prefix}{child.name}"
                found[name] = found.get(name, "") + ast.unparse(child)
            elif isinstance(child, ast.ClassDef):
                heads = [*child.decorator_list, *child.bases, *child.keywords]
                found[OUTSIDE] += f"class {child.name} {[ast.unparse(head) for head in heads]}\n"
                visit(child, f"{prefix}{child.name}.")
            else:
                found[OUTSIDE] += f"{prefix} {ast.unparse(child)}\n"

    visit(tree, "")
    return found


def affected(record: Record, names: Iterable[str]) -> list[str]:
    """Return the recorded tests that can see that these have changed, those that call the fewest functions first."""
    bits = 0
    for name in names:
        bits |= _seen_by(record, name)
    calls = _calls(record, bits)
    return sorted(calls, key=lambda test: (calls[test], test))


def _calls(record: Record, bits: int) -> dict[str, int]:
    """Return how many functions each of these tests calls."""
    names = [name for number, name in enumerate(record.seconds) if bits >> number & 1]
    counts = [0] * len(record.seconds)
    for tests in record.tests.values():
        rest = tests & bits
        while rest:
            lowest = rest & -rest
            counts[lowest.bit_length() - 1] += 1
            rest ^= lowest
    found = dict(zip(record.seconds, counts, strict=True))
    return {name: found[name] for name in names}


def _seen_by(record: Record, name: str) -> int:
    file, _, function = name.partition("::")
    bits = record.tests.get(name, 0)
    if function == OUTSIDE:
        bits |= _of_file(record, file) | _named(record, _operations(file))
    if file.startswith(KERNELS):
        for user in _users(Path(file).stem):
            bits |= _of_file(record, user)
    if file.startswith("tests/") and function:
        bits |= _of_tests(record, file, function)
    return bits


def _of_file(record: Record, file: str) -> int:
    bits = 0
    for name, tests in record.tests.items():
        if name.startswith(f"{file}::"):
            bits |= tests
    return bits


def _of_tests(record: Record, file: str, function: str) -> int:
    """The tests of a file: of a function, or all where what is outside of functions has changed."""
    name = file if function == OUTSIDE else f"{file}::{function.replace('.', '::')}"
    return _bits(record, (test for test in record.seconds if re.match(rf"{re.escape(name)}(\W|$)", test)))


def _named(record: Record, types: Sequence[str]) -> int:
    if not types:
        return 0
    named = named_after(types)
    return _bits(record, (test for test in record.seconds if named.search(test)))


def _bits(record: Record, tests: Iterable[str]) -> int:
    chosen = set(tests)
    return sum(1 << number for number, test in enumerate(record.seconds) if test in chosen)


def _operations(file: str) -> list[str]:
    """Return the types of the operations that a file declares, or has the cases of."""
    found: list[str] = []
    if file.startswith(("irrun/ops/", "tests/cases/")) and (ROOT / file).exists():
        text = (ROOT / file).read_text(encoding="utf-8")
        found = re.findall(r"@op\(\s*\"(\w+)\"|(?:Case|Invalid)\(\s*\"(\w+)\"", text)
    return sorted({name for pair in found for name in pair if name})


@cache
def importers() -> dict[str, set[str]]:
    """Return the files that import each module of the kernels."""
    found: dict[str, set[str]] = {}
    for file in sources():
        if file.startswith((KERNELS, RUNTIME)):
            text = (ROOT / file).read_text(encoding="utf-8")
            for module, names in re.findall(r"from irrun_kernels(?:\.(\w+))? import (.*)", text):
                for name in [module] if module else names.split(", "):
                    found.setdefault(name, set()).add(file)
    return found


def _users(kernel: str) -> set[str]:
    """Return the files of the runtime that import a module of kernels, or one that imports it."""
    found, waiting, seen = set(), [kernel], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for file in importers().get(name, ()):
            if file.startswith(RUNTIME):
                found.add(file)
            else:
                waiting.append(Path(file).stem)
    return found
