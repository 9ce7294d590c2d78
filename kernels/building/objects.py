"""Compile functions for a level: a command of its own, since a process compiles for one level only.

``python -m building.objects LEVEL FOLDER SYSTEMS NUMBER OF [FILE]`` writes an object file for each system and each
function of the package, or of a Python file, unless there is one already; of the functions it compiles every so many.
It prints the paths of the objects.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import irrun_kernels
from building.systems import SYSTEMS, System
from building.target import flags, take
from irrun_kernels.levels import Level

if TYPE_CHECKING:
    from irrun_kernels.native import Compiled

PACKAGE = Path(irrun_kernels.__file__).parent


def main(arguments: Sequence[str]) -> None:
    name, folder, systems, number, of, *files = arguments
    level = take(name)
    functions = declared(files)[int(number) :: int(of)]
    for path in objects(level, Path(folder), [SYSTEMS[one] for one in systems.split(",")], functions):
        print(path)


def declared(files: Sequence[str]) -> list[Compiled]:
    """Return the functions that a file declares, or all of the package if there is none."""
    from irrun_kernels.native import DECLARED

    for module in pkgutil.iter_modules([str(PACKAGE)]):
        importlib.import_module(f"irrun_kernels.{module.name}")
    if not files:
        return DECLARED
    before = len(DECLARED)
    spec = importlib.util.spec_from_file_location("own_kernels", files[0])
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    return DECLARED[before:]


def objects(level: Level, folder: Path, systems: Sequence[System], functions: Sequence[Compiled]) -> list[Path]:
    """Return the object files of functions for each system, which are compiled if need be."""
    made: list[Path] = []
    for declared in functions:
        key = digest(Path(declared.function.__code__.co_filename), level)
        paths = {system: folder / f"{declared.symbol}-{level.name}-{system.name}-{key}.o" for system in systems}
        made += paths.values()
        missing = [system for system in systems if not paths[system].exists()]
        if missing:
            from building.compiler import code_of, object_of

            code = code_of(declared)
            for system in missing:
                # Other processes may compile the same function.
                beside = paths[system].with_suffix(f".{os.getpid()}.tmp")
                beside.write_bytes(object_of(code, system))
                beside.replace(paths[system])
    return made


def digest(file: Path, level: Level) -> str:
    """Return a digest of all that decides on the code of a file: the sources, the compiler, and the level."""
    tools = [version("numba"), version("llvmlite"), Path(__file__).with_name("compiler.py").read_text(encoding="utf-8")]
    sources = [path.read_text(encoding="utf-8") for path in (file, *sorted(needed(file) - {file}))]
    return hashlib.sha256(repr([tools, level, flags(level), sources]).encode()).hexdigest()[:16]


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
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE.name:
            module = (node.module or "").partition(".")[2]
            names |= {module} if module else {alias.name for alias in node.names}
    return frozenset(PACKAGE / f"{name}.py" for name in names - {"library", "processor"})


if __name__ == "__main__":
    main(sys.argv[1:])
