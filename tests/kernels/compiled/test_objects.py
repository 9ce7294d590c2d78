"""Kernels are compiled once for a machine: later processes link the object code and do not import Numba."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import ctypes
import sys
from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.native import floats, kernel, record


class Doubled(NamedTuple):
    x: int
    count: int


@kernel(Doubled)
def doubled(arguments: Any, task: int, workspace: int) -> None:
    c = record(arguments)
    x = floats(c.x, c.count)
    for i in range(c.count):
        x[i] = x[i] * FACTOR


x = np.arange(5, dtype=np.float32)
arguments = np.array([(x.ctypes.data, x.size)], doubled.record)
ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(doubled.address)(arguments.ctypes.data, 0, 0)
print(x.tolist(), "numba" in sys.modules)
"""


def run(folder: Path, factor: int = 2, **environment: str) -> str:
    script = folder / "script.py"
    script.write_text(KERNEL.replace("FACTOR", f"np.float32({factor})"))
    given = {**os.environ, "IRRUN_CACHE_DIR": str(folder / "cache"), **environment}
    done = subprocess.run([sys.executable, script], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


DOUBLED, TRIPLED = "[0.0, 2.0, 4.0, 6.0, 8.0]", "[0.0, 3.0, 6.0, 9.0, 12.0]"


def test_a_cached_kernel_needs_no_compiler(tmp_path: Path) -> None:
    assert run(tmp_path) == f"{DOUBLED} True"
    assert run(tmp_path) == f"{DOUBLED} False"
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".o"]


def test_changed_sources_are_compiled_again(tmp_path: Path) -> None:
    assert run(tmp_path) == f"{DOUBLED} True"
    assert run(tmp_path, 3) == f"{TRIPLED} True"
    assert run(tmp_path, 3) == f"{TRIPLED} False"


@pytest.mark.parametrize("damage", ["truncated", "changed", "empty"])
def test_a_damaged_object_is_compiled_again(tmp_path: Path, damage: str) -> None:
    run(tmp_path)
    (path,) = (tmp_path / "cache").iterdir()
    data = path.read_bytes()
    path.write_bytes({"truncated": data[:-9], "changed": data[:200] + b"\0\1\2\3" + data[204:], "empty": b""}[damage])
    assert run(tmp_path) == f"{DOUBLED} True"
    assert run(tmp_path) == f"{DOUBLED} False"


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run(tmp_path, IRRUN_CACHE_DIR=str(tmp_path / "file")) == f"{DOUBLED} True"


def test_a_home_that_is_no_absolute_path_is_not_written_to(tmp_path: Path) -> None:
    assert run(tmp_path, IRRUN_CACHE_DIR="relative/cache") == f"{DOUBLED} True"
    assert not Path("relative").exists()
