"""Releases of OpenVINO that are installed, and what they do with models."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from irrun.ops.releases import release

WORKER: Final = Path(__file__).with_name("worker.py")


def short(name: str) -> str:
    """Return a release without its patch: ``2026.4`` for ``2026.4.1``."""
    return ".".join(name.split(".")[:2])


class Installed(NamedTuple):
    """A release in a folder of its own, and the Python that it runs with."""

    folder: Path
    python: str

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which a process finds this release."""
        return {"PYTHONPATH": str(self.folder), "LD_LIBRARY_PATH": str(self.folder / "openvino" / "libs")}

    def answers(self, lines: Sequence[str]) -> list[str]:
        """Return what the release does with each model: ``nothing``, ``reads`` or ``compiles``."""
        return [word for line in self.run(WORKER, lines) for word in line.split()]

    def run(self, worker: Path, lines: Sequence[str]) -> list[str]:
        """Return the lines that a worker prints with this release, given others."""
        done = subprocess.run(
            [self.python, str(worker)],
            input="\n".join(lines),
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    def reads(self, paths: Mapping[str, Path]) -> dict[str, bool]:
        """Return whether the release reads each model."""
        found = self.answers([f"reads {path}" for path in paths.values()])
        return {name: answer != "nothing" for name, answer in zip(paths, found, strict=True)}


def installations(folder: Path, python: str, old_python: str | None) -> list[Installed]:
    """Return the releases in a folder, oldest first; those before 2023.0 have a Python of their own."""
    folders = sorted(
        (path for path in folder.iterdir() if (path / "openvino").is_dir()), key=lambda path: release(path.name)
    )
    pairs: Iterable[tuple[Path, str | None]] = (
        (path, python if release(path.name) >= (2023, 0) else old_python) for path in folders
    )
    return [Installed(path, found) for path, found in pairs if found is not None]
