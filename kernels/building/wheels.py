"""Wheels with the libraries of all levels of a system."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from building.libraries import ROOT, build
from building.systems import BuildError, System

DIST: Final = ROOT / "dist"


def build_wheels(systems: Sequence[System]) -> list[Path]:
    """Build and return the wheel of each system. BuildError if that fails."""
    folders = {system: ROOT / "build" / system.name for system in systems}
    build({system: system.levels for system in systems}, folders)
    return [_wheel(system, folders[system]) for system in systems]


def _wheel(system: System, folder: Path) -> Path:
    environment = {**os.environ, "IRRUN_KERNELS_LIBRARIES": str(folder), "IRRUN_KERNELS_TAGS": system.tags}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(DIST)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    if done.returncode != 0:
        raise BuildError(f"the wheel of {system.name} cannot be built: {done.stderr.strip()[-2000:]}")
    (made,) = DIST.glob(f"*-py3-none-{system.tags}.whl")
    return made
