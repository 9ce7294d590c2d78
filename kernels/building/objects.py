"""Compile functions for a level: a command of its own, since a process compiles for one level only.

``python -m building.objects LEVEL FOLDER SYSTEMS NUMBER OF`` writes an object file for each system and each function,
of which it compiles every so many, unless there is one already. It prints their paths.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import irrun_kernels
from building.systems import SYSTEMS, System
from irrun_kernels.levels import LEVELS, Level, built_for

PACKAGE = Path(irrun_kernels.__file__).parent


def main(arguments: Sequence[str]) -> None:
    name, folder, systems, number, of = arguments
    level = next(level for level in LEVELS if level.name == name)
    built_for.append(level)
    for path in objects(level, Path(folder), [SYSTEMS[one] for one in systems.split(",")], int(number), int(of)):
        print(path)


def objects(level: Level, folder: Path, systems: Sequence[System], number: int, of: int) -> list[Path]:
    """Return the object files of all functions for each system; those whose turn it is are compiled if need be."""
    for module in pkgutil.iter_modules([str(PACKAGE)]):
        importlib.import_module(f"irrun_kernels.{module.name}")
    from irrun_kernels.native import DECLARED

    made = []
    for index, declared in enumerate(DECLARED):
        if index % of != number:
            continue
        key = digest(declared.function.__module__, level)
        paths = {system: folder / f"{declared.symbol}-{level.name}-{system.name}-{key}.o" for system in systems}
        made += paths.values()
        missing = [system for system in systems if not paths[system].exists()]
        if missing:
            from building.compiler import code_of, object_of

            code = code_of(declared)
            for system in missing:
                beside = paths[system].with_suffix(".tmp")
                beside.write_bytes(object_of(code, system))
                beside.replace(paths[system])
    return made


def digest(module: str, level: Level) -> str:
    """Return a digest of all that decides on the code of a module: its sources, the compiler, and the level."""
    tools = [version("numba"), version("llvmlite"), Path(__file__).with_name("compiler.py").read_text(encoding="utf-8")]
    sources = [(PACKAGE / f"{name}.py").read_text(encoding="utf-8") for name in sorted(_needed(_name(module)))]
    return hashlib.sha256(repr([tools, level, sources]).encode()).hexdigest()[:16]


def _name(module: str) -> str:
    return module.rpartition(".")[2]


@cache
def _needed(name: str) -> frozenset[str]:
    """The names of a module of the package and of all that it imports from there."""
    found, waiting = set(), {name}
    while waiting:
        one = waiting.pop()
        found.add(one)
        waiting |= _imported(one) - found
    return frozenset(found)


@cache
def _imported(name: str) -> frozenset[str]:
    body = ast.walk(ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8")))
    modules = [node.module or "" for node in body if isinstance(node, ast.ImportFrom)]
    return frozenset(_name(module) for module in modules if module.startswith("irrun_kernels."))


if __name__ == "__main__":
    main(sys.argv[1:])
