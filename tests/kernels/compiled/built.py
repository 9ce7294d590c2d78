"""Kernels that are built for a test: those of a test's own files, and those of other levels of processors."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

BUILD = Path(__file__).resolve().parents[3] / "kernels" / "build.py"
_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


@cache
def add(file: Path) -> None:
    """Build the kernels that a Python file declares, and make them known."""
    from irrun_kernels import library
    from irrun_kernels.host import LEVEL

    library.add(build_file(file, LEVEL.name))


def build_file(file: Path, level: str) -> Path:
    """Build the kernels that a Python file declares, for a level; return the library."""
    return Path(_built("--level", level, "--file", str(file)))


def _built(*arguments: str) -> str:
    done = subprocess.run([sys.executable, str(BUILD), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def call(kernel: Any, *arguments: Any, tasks: int = 1, workspace: int = 0) -> None:
    """Do all tasks of a kernel, whose arguments may be tuples, with integers for addresses."""
    record = np.array([tuple(_numbers(arguments))], kernel.record)
    space = np.full(workspace + 64, 255, np.uint8)
    for task in range(tasks):
        _KERNEL(kernel.address)(record.ctypes.data, task, space.ctypes.data)


def _numbers(arguments: Iterable[Any]) -> Iterator[float]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _numbers(argument)
        else:
            yield argument


def told(script: str, level: str | None = None, **names: str) -> str:
    """Return the output of a script, which runs on a level of processors and with these environment variables."""
    begin = "" if level is None else f"from tests.kernels.compiled import built\nbuilt.on_demand({level!r})\n"
    environment = {**os.environ, **names}
    done = subprocess.run([sys.executable, "-c", begin + script], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def on_demand(name: str) -> None:
    """Compile kernels for a level of this machine when their addresses are asked for, in this process."""
    become(name)
    from building.systems import link, this_system
    from irrun_kernels import native

    system = this_system()

    def address_of(_: str, symbol: str) -> int:
        path = object_file(symbol, system)
        _ASKED.append(path)
        library = path.with_suffix(system.suffix)
        if not library.exists():
            link(system, [path], library)
        return ctypes.cast(getattr(ctypes.CDLL(str(library)), symbol), ctypes.c_void_p).value or 0

    native.address_of = address_of


def packaged(folder: Path, name: str, script: str) -> dict[str, str]:
    """Return an environment whose `irrun_kernels` has one library: of what a script asks for on a level."""
    from irrun_kernels import library

    copy = folder / "irrun_kernels"
    shutil.copytree(BUILD.parent / copy.name, copy, ignore=shutil.ignore_patterns("libraries", "__pycache__"))
    libraries = copy / library.FOLDER.name
    libraries.mkdir()
    processor = library.FOLDER / f"processor{library.SUFFIX}"
    for path in (processor, library.note_of(processor)):
        shutil.copy(path, libraries)
    told(f"{script}\nbuilt.write_library({str(libraries / f'{name}{library.SUFFIX}')!r})", name)
    return {"IRRUN_LEVEL": name, "PYTHONPATH": os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])}


_ASKED: list[Path] = []
"""The object files of what this process has asked for on another level."""


def write_library(path: str) -> None:
    """Write the library of what this process has asked for."""
    from building.systems import link, this_system
    from irrun_kernels.library import sign

    link(this_system(), _ASKED, Path(path))
    sign(Path(path))


def become(name: str) -> None:
    """Take a level for that of this processor. Nothing that asks for the level may have been imported."""
    from building.target import take
    from irrun_kernels.processor import permission

    take(name)
    permission()
    # Of the objects that a compilation makes, hardly any is garbage before its end.
    gc.disable()


def object_file(symbol: str, system: Any) -> Path:
    """Return the object file of a declared function, which is compiled if need be.

    Its code is that of a library, but optimised once: a build also optimises by itself each function that is called.
    """
    from building.libraries import OBJECTS
    from building.objects import objects
    from irrun_kernels.levels import built_for
    from irrun_kernels.native import DECLARED

    (level,) = built_for
    folder = OBJECTS / "optimised-once"
    folder.mkdir(parents=True, exist_ok=True)
    optimise_once()
    with _alone(folder / f"{symbol}-{level.name}.lock"):
        (path,) = objects(level, folder, [system], [next(one for one in DECLARED if one.symbol == symbol)])
    for other in folder.glob(f"{symbol}-{level.name}-{system.name}-*"):
        if other.stem != path.stem and other.suffix != ".tmp":
            other.unlink(missing_ok=True)
    return path


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let other processes that compile the same wait, where the system has locks that end with their process."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        yield
        return
    with path.open("w") as file:
        flock(file, LOCK_EX)
        yield


def optimise_once() -> None:
    """Leave what kernels call to the optimisation of the kernel: that takes half of the time."""
    from numba.core.codegen import CPUCodeLibrary

    def finalize(library: Any) -> None:
        if not library._finalized:
            library._optimize_final_module = lambda: None
            library.finalize()

    CPUCodeLibrary._ensure_finalized = finalize
