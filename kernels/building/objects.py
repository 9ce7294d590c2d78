"""Compile functions for a level: a command of its own, since a process compiles for one level only.

``python -m building.objects LEVEL FOLDER SYSTEMS CLAIMS [--kept FOLDER] [--file FILE]`` writes an object file for each
system and each function of the package, or of a Python file, unless there is one already. Several such processes share
the work: each claims the sources that it compiles by a file in the folder CLAIMS. It prints the paths of the objects.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import irrun_kernels
from building.kept import KeptObjects, write
from building.systems import SYSTEMS, System
from building.target import flags, take
from irrun_kernels.levels import Level
from irrun_kernels.processor import machine

if TYPE_CHECKING:
    from irrun_kernels.native import CompiledFunction

PACKAGE = Path(irrun_kernels.__file__).parent

_LONGEST: Final = ("elementwise", "product", "images", "attention", "packed", "moves", "recurrent", "dynamic")
"""The sources whose functions take most of the time. They come first, so that all processes end at the same time."""


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("level")
    parser.add_argument("folder", type=Path)
    parser.add_argument("systems", type=lambda names: [SYSTEMS[name] for name in names.split(",")])
    parser.add_argument("claims", type=Path)
    parser.add_argument("--kept", type=lambda name: KeptObjects(Path(name)))
    parser.add_argument("--file")
    given = parser.parse_args(arguments)
    level = take(given.level)
    gc.set_threshold(100_000)  # Little of what Numba makes is garbage.
    for functions in claimed(given.claims, declared(given.file)):
        for path in objects(level, given.folder, given.systems, functions, given.kept):
            print(path)


def claimed(folder: Path, functions: Sequence[CompiledFunction]) -> Iterator[list[CompiledFunction]]:
    """Yield the functions of each source that no other process has claimed: they call the same functions."""
    sources: dict[str, list[CompiledFunction]] = {name: [] for name in _LONGEST}
    for declared in functions:
        sources.setdefault(_source(declared).stem, []).append(declared)
    for name, of_source in sources.items():
        try:
            (folder / name).touch(exist_ok=False)
        except FileExistsError:
            continue
        yield of_source


def declared(file: str | None = None) -> list[CompiledFunction]:
    """Return the functions that a file declares, or all of the package if there is none.

    Sources are read before they are imported: one that changes while others are compiled keeps the digest of its code.
    """
    from irrun_kernels.native import DECLARED

    for source in (*PACKAGE.glob("*.py"), *(() if file is None else (Path(file),))):
        _text(source)
    for module in pkgutil.iter_modules([str(PACKAGE)]):
        importlib.import_module(f"irrun_kernels.{module.name}")
    if file is None:
        return DECLARED
    before = len(DECLARED)
    spec = importlib.util.spec_from_file_location("own_kernels", file)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    return DECLARED[before:]


def objects(
    level: Level,
    folder: Path,
    systems: Sequence[System],
    functions: Sequence[CompiledFunction],
    kept: KeptObjects | None = None,
) -> list[Path]:
    """Return the object files of functions for each system, which are compiled if they are neither there nor kept."""
    made: list[Path] = []
    for declared in functions:
        key = digest(_source(declared), level)
        paths = {system: folder / f"{declared.symbol}-{level.name}-{system.name}-{key}.o" for system in systems}
        made += paths.values()
        missing = [system for system in systems if not paths[system].exists()]
        if kept is not None:
            missing = [system for system in missing if not kept.restore(paths[system])]
        if missing:
            from building.compiler import code_of, object_of

            code = code_of(declared)
            for system in missing:
                write(paths[system], object_of(code, system))
                if kept is not None:
                    kept.keep(paths[system])
    return made


def _source(declared: CompiledFunction) -> Path:
    return Path(declared.function.__code__.co_filename)


def digest(file: Path, level: Level) -> str:
    """Return a digest of all that decides on the code of a file: the sources, the compiler, and the level."""
    tools = [
        *(version(name) for name in ("numba", "llvmlite", "numpy")),
        *(Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in ("compiler", "systems")),
        (sys.platform, machine(), sys.version_info[:2]),
        sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_")),
    ]
    sources = [_text(path) for path in (file, *sorted(needed(file) - {file}))]
    return hashlib.sha256(repr([tools, level, flags(level), sources]).encode()).hexdigest()[:16]


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def needed(file: Path) -> frozenset[Path]:
    """Return the file, and all files of the package that it imports, except those that find libraries."""
    found, waiting = set(), {file}
    while waiting:
        one = waiting.pop()
        found.add(one)
        waiting |= _imported(one) - found
    return frozenset(found)


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The files of ``from irrun_kernels.module import name``, and of ``from irrun_kernels import module``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(_text(file))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE.name:
            module = (node.module or "").partition(".")[2]
            names |= {module} if module else {alias.name for alias in node.names}
    return frozenset(PACKAGE / f"{name}.py" for name in names - {"library", "processor"})


if __name__ == "__main__":
    main(sys.argv[1:])
