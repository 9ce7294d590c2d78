"""Kernels for this processor are built before tests are collected, where their sources have changed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
sys.path.insert(0, str(KERNELS))


def pytest_configure(config: pytest.Config) -> None:
    """Build in the process that starts the others, which then find all libraries; commands of tests find them too."""
    if hasattr(config, "workerinput"):
        return
    paths = [str(KERNELS), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if importlib.util.find_spec("numba") is not None:
        done = subprocess.run([sys.executable, str(KERNELS / "build.py")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise pytest.UsageError(done.stderr.strip())
