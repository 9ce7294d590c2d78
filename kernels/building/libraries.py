"""Build the libraries of levels, several at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from building.checks import check
from building.kept import KeptObjects
from building.systems import BuildError, System, link
from irrun_kernels.levels import LEVELS, Level
from irrun_kernels.library import FOLDER, damage, note_of, sign

ROOT: Final = Path(__file__).resolve().parents[1]
OBJECTS: Final = Path(os.environ.get("IRRUN_KERNELS_OBJECTS") or ROOT / "build" / "objects")
"""Object files, which are compiled again where their sources have changed."""
OF_TESTS: Final = ROOT / "build" / "of-tests"
"""Object files that may be of another clone."""


def build(
    wanted: Mapping[System, Sequence[Level]],
    folders: Mapping[System, Path],
    objects: Path = OBJECTS,
    kept: Path | None = None,
) -> None:
    """Write the libraries of some levels of each system into its folder, and check them. BuildError if that fails.

    What Numba makes of a level is shared by all systems on the same machine. ``objects`` is the folder of object files,
    ``kept`` the one from which tests of all clones take them.
    """
    levels = [level for level in LEVELS if any(level in of_system for of_system in wanted.values())]
    compiled = _compiled({level: systems(wanted, level) for level in levels}, objects, kept)
    made = dict(zip(levels, compiled, strict=True))
    for system, of_system in wanted.items():
        folder = folders[system]
        folder.mkdir(parents=True, exist_ok=True)
        if system.machine == "x86_64":
            from building.features import build_features

            build_features(system, objects, folder / f"processor{system.suffix}")
            sign(folder / f"processor{system.suffix}")
        for level in of_system:
            paths = [path for path in made[level] if f"-{level.name}-{system.name}-" in path.name]
            library = folder / f"{level.name}{system.suffix}"
            link(system, paths, library)
            check(system, library, [path.name.partition("-")[0] for path in paths])
            sign(library, _digest())
    _forget_others(objects, {path for paths in made.values() for path in paths}, wanted)
    if kept is not None:
        KeptObjects(kept).forget()


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


def systems(wanted: Mapping[System, Sequence[Level]], level: Level) -> list[System]:
    """Return the systems that want a level."""
    return [system for system, levels in wanted.items() if level in levels]


def build_file(file: Path, system: System, level: Level, folder: Path = OBJECTS, kept: Path | None = None) -> Path:
    """Return a library of the kernels that a Python file declares."""
    (objects,) = _compiled({level: [system]}, folder, kept, str(file.resolve()))
    (key,) = {path.stem.rpartition("-")[2] for path in objects}
    library = folder / f"{level.name}-{key}{system.suffix}"
    if not library.exists():
        link(system, objects, library)
    return library


def _compiled(
    wanted: Mapping[Level, Sequence[System]], folder: Path, kept: Path | None, file: str | None = None
) -> list[list[Path]]:
    """Return the objects of each level, which as many processes compile as there are processors."""
    folder.mkdir(parents=True, exist_ok=True)
    processors = os.cpu_count() or 1
    each = -(-processors // len(wanted)) if file is None else 1
    options = [*(["--kept", str(kept)] if kept else []), *(["--file", file] if file else [])]
    with TemporaryDirectory() as claims, ThreadPoolExecutor(processors) as pool:
        made = []
        for level, of_level in wanted.items():
            claimed = Path(claims, level.name)
            claimed.mkdir()
            names = ",".join(system.name for system in of_level)
            arguments = [level.name, str(folder), names, str(claimed), *options]
            made.append([pool.submit(_objects, *arguments) for _ in range(each)])
        return [sorted(path for part in parts for path in part.result()) for parts in made]


def _objects(level: str, *arguments: str) -> list[Path]:
    command = [sys.executable, "-m", "building.objects", level, *arguments]
    # Where pip builds, what a build needs is on the path of this process only.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    if done.returncode != 0:
        raise BuildError(f"the kernels of {level} cannot be compiled: {done.stderr.strip()[-2000:]}")
    return [Path(line) for line in done.stdout.splitlines()]


def _forget_others(folder: Path, used: Iterable[Path], wanted: Mapping[System, Sequence[Level]]) -> None:
    """Delete objects of other sources for the same levels and systems."""
    marks = [f"-{level.name}-{system.name}-" for system, levels in wanted.items() for level in levels]
    for path in set(folder.glob("*.o")) - set(used):
        if any(mark in path.name for mark in marks):
            path.unlink(missing_ok=True)
