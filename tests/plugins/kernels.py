"""Kernels for the processor of the tests, compiled once for all clones of a user.

What is compiled is kept in ``irrun-tests/kernels`` below the cache of the user, which nothing but tests reads.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

KERNELS: Final = Path(__file__).resolve().parents[2] / "kernels"
sys.path.insert(0, str(KERNELS))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Build in the process that starts the others, which then find all libraries; commands of tests find them too."""
    if hasattr(config, "workerinput"):
        return
    paths = [str(KERNELS), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if importlib.util.find_spec("numba") is None:
        return
    command = [sys.executable, str(KERNELS / "build.py"), *kept()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise pytest.UsageError(done.stderr.strip())


def kept() -> list[str]:
    """Return the options of a build that name the folder of the user; none if it cannot be made."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
        (folder / "irrun-tests" / "kernels").mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # There is no home, or it is read-only.
        return []
    return ["--kept", str(folder / "irrun-tests" / "kernels")]
