"""Build the libraries of this processor in place, or wheels for all systems.

Examples:
  python kernels/build.py                              # libraries for this processor, where sources have changed
  python kernels/build.py --level x86-64-v3            # for another level of processors
  python kernels/build.py --all                        # wheels for all systems, in kernels/dist
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from building.libraries import ROOT, best_level, build, build_file, is_stale
from building.systems import SYSTEMS, BuildError, System, this_system
from irrun_kernels.levels import LEVELS, Level
from irrun_kernels.library import FOLDER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", action="append", choices=[level.name for level in LEVELS], help="build this level")
    parser.add_argument("--all", action="store_true", help="build wheels for all systems")
    parser.add_argument("--system", action="append", choices=list(SYSTEMS), help="build the wheel of this system")
    parser.add_argument("--file", type=Path, help="build the kernels of this Python file, print the library")
    options = parser.parse_args()
    try:
        if options.file is not None:
            print(build_file(options.file, this_system(), chosen(options.level or [])[0]))
        elif options.all or options.system:
            build_wheels([SYSTEMS[name] for name in options.system or SYSTEMS])
        else:
            build_here(options.level or [])
    except BuildError as error:
        sys.exit(f"error: {error}")


def build_here(names: list[str]) -> None:
    """Build the libraries of some levels, by default of the best one of this processor, beside their sources."""
    system = this_system()
    levels = [level for level in chosen(names) if is_stale(system, level)]
    if levels:
        build({system: levels}, {system: FOLDER})


def build_wheels(systems: list[System]) -> None:
    """Build the wheel of each system, with the libraries of all of its levels, and print its path."""
    folders = {system: ROOT / "build" / system.name for system in systems}
    build({system: system.levels for system in systems}, folders)
    for system, folder in folders.items():
        environment = {**os.environ, "IRRUN_KERNELS_LIBRARIES": str(folder), "IRRUN_KERNELS_TAGS": system.tags}
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(ROOT / "dist")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
        if done.returncode != 0:
            raise BuildError(f"the wheel of {system.name} cannot be built: {done.stderr.strip()[-2000:]}")
        print(*(ROOT / "dist").glob(f"*-py3-none-{system.tags}.whl"))


def chosen(names: list[str]) -> list[Level]:
    """Return the levels of these names, by default the best one of this processor."""
    return [level for level in LEVELS if level.name in names] or [best_level(this_system())]


if __name__ == "__main__":
    main()
