"""Kernels for the processor of the tests, compiled once for all clones of a user.

What is compiled is kept in ``irrun-tests/objects`` below the cache of the user, which nothing but tests reads.
"""

from __future__ import annotations

import importlib.util
import os
import stat
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
    command = [sys.executable, str(KERNELS / "build.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **kept()})
    if done.returncode != 0:
        raise pytest.UsageError(done.stderr.strip())


def kept() -> dict[str, str]:
    """Return the environment of a build that names the folder of the user; nothing if it cannot be made."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "irrun-tests" / "objects"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # There is no home, or it is read-only.
        return {}
    require_own(folder)
    return {"IRRUN_KERNELS_OBJECTS": str(folder)}


def require_own(folder: Path) -> None:
    """UsageError for a folder that others may write to, since tests run what is in it."""
    status = folder.lstat()
    is_owned = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
    if not is_owned or not stat.S_ISDIR(status.st_mode):
        raise pytest.UsageError(f"{folder} has kernels that tests run; expected a folder that only you may write to")
