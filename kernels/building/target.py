"""The level that this process compiles for."""

from __future__ import annotations

import os

from irrun_kernels.levels import LEVELS, Level, built_for
from irrun_kernels.processor import machine


def take(name: str) -> Level:
    """Compile for a level from now on. Nothing that asks for the level, nor Numba, may have been imported.

    Numba knows one machine only, that of this process: for others it is told of a plain processor.
    """
    level = next(level for level in LEVELS if level.name == name)
    built_for.append(level)
    is_own = level.machine == machine()
    os.environ["NUMBA_CPU_NAME"] = level.model if is_own else "generic"
    os.environ["NUMBA_CPU_FEATURES"] = flags(level) if is_own else ""
    return level


def flags(level: Level) -> str:
    """The features of a level as LLVM reads them: loops use the widest vectors, which LLVM avoids by default."""
    widest = ["-prefer-256-bit"] if "avx512f" in level.has else []
    return ",".join([*(f"+{name}" for name in level.features.split()), *widest])
