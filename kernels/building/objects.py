"""Compile functions for a level to object files, in a process that compiles for this level only."""

from __future__ import annotations

import ast
import contextlib
import gc
import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import irrun_kernels
from building.systems import System
from building.target import flags
from irrun_kernels.levels import Level
from irrun_kernels.processor import machine

if TYPE_CHECKING:
    from irrun_kernels.native import CompiledFunction

PACKAGE = Path(irrun_kernels.__file__).parent

_LONGEST: Final = ("elementwise", "product", "images", "attention", "packed", "moves", "recurrent", "dynamic")
"""The sources whose functions take most of the time. They come first, so that all processes end at the same time."""

_MOST_BYTES: Final = 100 << 20
"""The bytes of objects that are kept."""


def sources() -> list[Path]:
    """Return the files of the package, in the order in which they are compiled."""
    first = [PACKAGE / f"{name}.py" for name in _LONGEST]
    return [*first, *sorted(set(PACKAGE.glob("[!_]*.py")) - set(first))]


def compiled(level: Level, folder: Path, systems: Sequence[System], file: Path) -> list[Path]:
    """Return the objects of the functions that a file declares: they call the same functions.

    Sources are read before they are imported: one that changes while others are compiled keeps the digest of its code.
    """
    from irrun_kernels.native import DECLARED

    for source in (*PACKAGE.glob("*.py"), file):
        _text(source)
    gc.set_threshold(100_000)  # Little of what Numba makes is garbage.
    if file.parent == PACKAGE:
        importlib.import_module(f"{PACKAGE.name}.{file.stem}")
    else:
        spec = importlib.util.spec_from_file_location("own_kernels", file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[spec.name] = own = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(own)
    return objects(level, folder, systems, [declared for declared in DECLARED if _source(declared) == file])


def objects(level: Level, folder: Path, systems: Sequence[System], functions: Sequence[CompiledFunction]) -> list[Path]:
    """Return the object files of functions for each system, which are compiled where they are not in the folder."""
    made: list[Path] = []
    for declared in functions:
        key = digest(_source(declared), level)
        paths = {system: folder / f"{declared.symbol}-{level.name}-{system.name}-{key}.o" for system in systems}
        made += paths.values()
        missing = [system for system in systems if not _is_there(paths[system])]
        if missing:
            from building.compiler import code_of, object_of

            code = code_of(declared)
            for system in missing:
                write(paths[system], object_of(code, system))
    return made


def _is_there(path: Path) -> bool:
    """Return whether there is an object, and note that it is used."""
    with contextlib.suppress(OSError):
        os.utime(path)
    return path.exists()


def write(path: Path, content: bytes) -> None:
    """Write a file that other processes may write or read meanwhile: they find all of it, or none."""
    handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def forget(folder: Path, most_bytes: int = _MOST_BYTES) -> None:
    """Delete the objects that were used the longest time ago, if all are too large."""
    found = []
    for path in folder.glob("*.o"):
        with contextlib.suppress(OSError):  # Another process may delete it.
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    for _, size, path in sorted(found, reverse=True):
        most_bytes -= size
        if most_bytes < 0:
            path.unlink(missing_ok=True)


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
