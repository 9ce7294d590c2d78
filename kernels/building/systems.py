"""The systems that libraries are built for, and the linker of all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from irrun_kernels.levels import LEVELS, Level
from irrun_kernels.processor import machine


class BuildError(Exception):
    """A tool or a file that a build needs is not there, or not right."""


class System(NamedTuple):
    """A system on a machine, as LLVM, Zig and wheels name it, and the suffix of its libraries."""

    name: str
    machine: str
    triple: str
    zig: str
    suffix: str
    tags: str

    @property
    def levels(self) -> list[Level]:
        """The levels of this machine. Only Linux gives tiles of AMX to programs."""
        has_tiles = self.name.startswith("linux")
        return [
            level
            for level in LEVELS
            if level.machine == self.machine and not level.is_for_tests and (has_tiles or not level.tiles)
        ]


_LINUX: Final = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"

SYSTEMS: Final = {
    system.name: system
    for system in (
        System(
            "linux-x86_64", "x86_64", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu", ".so", _LINUX.format("x86_64")
        ),
        System(
            "linux-arm64", "arm64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", ".so", _LINUX.format("aarch64")
        ),
        System(
            "macos-x86_64", "x86_64", "x86_64-apple-macosx11.0", "x86_64-macos.11.0", ".dylib", "macosx_11_0_x86_64"
        ),
        System("macos-arm64", "arm64", "arm64-apple-macosx11.0", "aarch64-macos.11.0", ".dylib", "macosx_11_0_arm64"),
        System("windows-x86_64", "x86_64", "x86_64-w64-windows-gnu", "x86_64-windows-gnu", ".dll", "win_amd64"),
        System("windows-arm64", "arm64", "aarch64-w64-windows-gnu", "aarch64-windows-gnu", ".dll", "win_arm64"),
    )
}


def this_system() -> System:
    """Return the system of this process; BuildError if there are no kernels for it."""
    name = f"{ {'win32': 'windows', 'darwin': 'macos'}.get(sys.platform, sys.platform) }-{machine()}"
    if name not in SYSTEMS:
        raise BuildError(f"there are no kernels for {name}, only for {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def link(system: System, objects: Sequence[Path], library: Path) -> None:
    """Make a library of object files, for this system by its own linker if there is one; BuildError if that fails."""
    own = shutil.which("cc") if system.name.startswith("linux") and system == this_system() else None
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", system.zig]
    if own is None and find_spec("ziglang") is None:
        raise BuildError("there is no linker; pip install ziglang")
    # Windows needs the function that enlarges the stack, and memset; others have both in the process.
    bare = [] if system.name.startswith("windows") else ["-nostdlib"]
    named = [f"-Wl,-install_name,@rpath/{library.name}"] if system.name.startswith("macos") else []
    with TemporaryDirectory(dir=library.parent) as folder:
        beside = Path(folder, library.name)
        options = ["-shared", *bare, *named, "-s", "-o", str(beside), *map(str, objects)]
        command = [*([own] if own is not None else zig), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(f"{command[0]} cannot link {library.name}: {done.stderr.strip()[-2000:]}")
        beside.replace(library)
