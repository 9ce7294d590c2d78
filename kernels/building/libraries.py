"""Build the libraries of levels, several at a time."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from building.checks import check
from building.features import build_features
from building.objects import compiled, forget, sources
from building.systems import BuildError, System, link
from building.target import take
from irrun_kernels import processor
from irrun_kernels.levels import LEVELS, Level
from irrun_kernels.library import FOLDER, damage, note_of, sign

ROOT: Final = Path(__file__).resolve().parents[1]
OBJECTS: Final = Path(os.environ.get("IRRUN_KERNELS_OBJECTS") or ROOT / "build" / "objects")
"""Object files, which are compiled again where their sources have changed."""


def build(wanted: Mapping[System, Sequence[Level]], folders: Mapping[System, Path]) -> None:
    """Write the libraries of some levels of each system into its folder, and check them. BuildError if that fails.

    What Numba makes of a level is shared by all systems on the same machine.
    """
    levels = [level for level in LEVELS if any(level in of_system for of_system in wanted.values())]
    processors = os.cpu_count() or 1
    with ThreadPoolExecutor(processors) as pool:
        each = partial(_objects, wanted, -(-processors // max(len(levels), 1)))
        made = dict(zip(levels, pool.map(each, levels), strict=True))
    for system, of_system in wanted.items():
        folder = folders[system]
        folder.mkdir(parents=True, exist_ok=True)
        if system.machine == "x86_64":
            build_features(system, OBJECTS, folder)
        for level in of_system:
            paths = [path for path in made[level] if f"-{level.name}-{system.name}-" in path.name]
            library = folder / f"{level.name}{system.suffix}"
            link(system, paths, library)
            check(system, library, [path.name.partition("-")[0] for path in paths])
            sign(library, _digest())
    forget(OBJECTS)


def best_level(system: System) -> Level:
    """Return the best level that this processor has; BuildError if it has none."""
    if system.machine == "x86_64" and damage("processor") is not None:
        build_features(system, OBJECTS, FOLDER)
    fitting = [level for level in processor.fitting() if not level.is_for_tests]
    if not fitting:
        raise BuildError(f"no level of {system.machine} fits this processor")
    return fitting[0]


def is_stale(system: System, level: Level) -> bool:
    """Return whether the library beside the sources is missing, damaged, or was built from others."""
    note = note_of(FOLDER / f"{level.name}{system.suffix}")
    return damage(level.name) is not None or not note.read_text(encoding="utf-8").endswith(_digest())


@cache
def _digest() -> str:
    """Return a digest of all sources. Those of a library that is built again decide which objects are."""
    paths = sorted([*(ROOT / "irrun_kernels").glob("*.py"), *(ROOT / "building").glob("*.py")])
    data = b"".join(path.read_bytes() for path in paths)
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def build_file(file: Path, system: System, level: Level) -> Path:
    """Return a library of the kernels that a Python file declares."""
    objects = _compiled(level, 1, [file.resolve()], [system])
    (key,) = {path.stem.rpartition("-")[2] for path in objects}
    library = OBJECTS / f"{level.name}-{key}{system.suffix}"
    if not library.exists():
        link(system, objects, library)
    return library


def _objects(wanted: Mapping[System, Sequence[Level]], processes: int, level: Level) -> list[Path]:
    """Return the objects of all kernels on a level, for the systems that want it."""
    return _compiled(level, processes, sources(), [system for system, levels in wanted.items() if level in levels])


def _compiled(level: Level, processes: int, files: Sequence[Path], systems: Sequence[System]) -> list[Path]:
    """Return the objects of some sources, which processes share: each takes the next one that no other has taken."""
    OBJECTS.mkdir(parents=True, exist_ok=True)
    each: Callable[[Path], list[Path]] = partial(compiled, level, OBJECTS, systems)
    try:
        with ProcessPoolExecutor(processes, get_context("spawn"), take, (level.name,)) as pool:
            return sorted(path for paths in pool.map(each, files) for path in paths)
    except Exception as error:
        why = str(error.__cause__ or error).strip()
        raise BuildError(f"the kernels of {level.name} cannot be compiled: {why[-2000:]}") from error
