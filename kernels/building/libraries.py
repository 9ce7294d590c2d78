"""Build the libraries of levels, several at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from building.checks import check
from building.systems import BuildError, System, link
from irrun_kernels.levels import LEVELS, Level

ROOT: Final = Path(__file__).resolve().parents[1]
OBJECTS: Final = Path(os.environ.get("IRRUN_KERNELS_OBJECTS") or ROOT / "build" / "objects")
"""Object files, which are compiled again where their sources have changed."""


def build(wanted: Mapping[System, Sequence[Level]], folders: Mapping[System, Path]) -> None:
    """Write the libraries of some levels of each system into its folder, and check them. BuildError if that fails.

    What Numba makes of a level is shared by all systems on the same machine.
    """
    OBJECTS.mkdir(parents=True, exist_ok=True)
    levels = [level for level in LEVELS if any(level in of_system for of_system in wanted.values())]
    processors = os.cpu_count() or 1
    parts = -(-processors // max(len(levels), 1))
    with ThreadPoolExecutor(processors) as pool:
        jobs = [(level, systems(wanted, level), part, parts) for level in levels for part in range(parts)]
        made = list(pool.map(lambda job: _objects(*job), jobs))
    used: set[Path] = set()
    for system, of_system in wanted.items():
        folder = folders[system]
        folder.mkdir(parents=True, exist_ok=True)
        if system.machine == "x86_64":
            from building.features import build_features

            build_features(system, OBJECTS, folder / f"processor{system.suffix}")
        for level in of_system:
            mark = f"-{level.name}-{system.name}-"
            objects = [path for paths in made for path in paths if mark in path.name]
            used.update(objects)
            library = folder / f"{level.name}{system.suffix}"
            link(system, objects, library)
            check(system, library, [path.name.partition("-")[0] for path in objects])
    _forget_others(used, wanted)


def systems(wanted: Mapping[System, Sequence[Level]], level: Level) -> list[System]:
    """Return the systems that want a level."""
    return [system for system, levels in wanted.items() if level in levels]


def build_file(file: Path, system: System, level: Level) -> Path:
    """Return a library of the kernels that a Python file declares."""
    OBJECTS.mkdir(parents=True, exist_ok=True)
    objects = _objects(level, [system], 0, 1, str(file.resolve()))
    (key,) = {path.stem.rpartition("-")[2] for path in objects}
    library = OBJECTS / f"{level.name}-{key}{system.suffix}"
    if not library.exists():
        link(system, objects, library)
    return library


def _objects(level: Level, systems: Sequence[System], part: int, parts: int, *file: str) -> list[Path]:
    names = ",".join(system.name for system in systems)
    command = [sys.executable, "-m", "building.objects", level.name, str(OBJECTS), names, str(part), str(parts), *file]
    # Where pip builds, what a build needs is on the path of this process only.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    if done.returncode != 0:
        raise BuildError(f"the kernels of {level.name} cannot be compiled: {done.stderr.strip()[-2000:]}")
    return [Path(line) for line in done.stdout.splitlines()]


def _forget_others(used: Iterable[Path], wanted: Mapping[System, Sequence[Level]]) -> None:
    """Delete objects of other sources for the same levels and systems."""
    marks = [f"-{level.name}-{system.name}-" for system, levels in wanted.items() for level in levels]
    for path in set(OBJECTS.glob("*.o")) - set(used):
        if any(mark in path.name for mark in marks):
            path.unlink(missing_ok=True)
