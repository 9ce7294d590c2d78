"""Tell whether the libraries in this folder are those of its sources."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from building.libraries import ROOT
from building.systems import System
from irrun_kernels.levels import Level
from irrun_kernels.library import damage

LIBRARIES: Final = ROOT / "irrun_kernels" / "libraries"


def stale(system: System, levels: Sequence[Level]) -> list[Level]:
    """Return the levels whose libraries are missing, or were built from other sources."""
    return [level for level in levels if not _is_fresh(system, level)]


def sign(levels: Sequence[Level]) -> None:
    """Note that the libraries of these levels are those of the sources."""
    for level in levels:
        _note(level).write_text(_digest(), encoding="utf-8")


def _is_fresh(system: System, level: Level) -> bool:
    note = _note(level)
    library = LIBRARIES / f"{level.name}{system.suffix}"
    is_whole = library.exists() and damage(level.name) is None
    return is_whole and note.exists() and note.read_text(encoding="utf-8") == _digest()


def _note(level: Level) -> Path:
    return LIBRARIES / f"{level.name}.sources"


def _digest() -> str:
    """Return a digest of all sources. Those of a library that is built again decide which objects are."""
    paths = sorted([*(ROOT / "irrun_kernels").glob("*.py"), *(ROOT / "building").glob("*.py")])
    data = b"".join(path.read_bytes() for path in paths)
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"
