"""The memory that this process may still allocate."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

SHARE: Final = 0.8
"""The part of the available memory that an inference may take by default."""

_LOOK_AGAIN: Final = 1.0
"""Seconds after which the memory that is free is looked up again."""

_NOT_LIMITED: Final = 1 << 60
"""Limits of version 1 from here on mean that there is none."""


def default_memory() -> int | None:
    """Return the default budget in bytes: a share of what is available; None where that is unknown."""
    free = _recent(int(time.monotonic() / _LOOK_AGAIN))
    return None if free is None else int(SHARE * free)


@lru_cache(maxsize=1)
def _recent(_period: int) -> int | None:
    return available_memory()


def available_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes that the system, the control groups and the limits of this process leave; None if unknown.

    ``root`` is the folder with ``proc`` and ``sys``.
    """
    found = [*_of_system(root / "proc"), *_of_groups(root), *_of_process(root / "proc")]
    return max(min(found), 0) if found else None


def _of_system(proc: Path) -> Iterator[int]:
    match = re.search(r"^MemAvailable:\s+(\d+) kB", _text(proc / "meminfo"), re.MULTILINE)
    if match is not None:
        yield int(match[1]) * 1024
        return
    try:
        yield os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return


def _of_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process, and each group around it, leaves."""
    base = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines() or ["0::/"]:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for mount in (base, base / "unified"):
                yield from _left(mount, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            yield from _left(base / "memory", path, *names)


def _left(mount: Path, path: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    group = mount / path.strip("/")
    for folder in (group, *group.parents):
        most = _text(folder / limit).strip()
        if most.isdigit() and int(most) < _NOT_LIMITED:
            used = _text(folder / usage).strip()
            files = re.search(rf"^{cache} (\d+)$", _text(folder / "memory.stat"), re.MULTILINE)
            taken = (int(used) if used.isdigit() else 0) - (int(files[1]) if files is not None else 0)
            yield int(most) - max(taken, 0)
        if folder == mount:
            return


def _of_process(proc: Path) -> Iterator[int]:
    """Yield what the limits on the address space and on the data segment leave."""
    try:
        import resource
    except ImportError:
        return
    pages = _text(proc / "self/statm").split()
    size = int(pages[0]) * resource.getpagesize() if pages else 0
    data = int(pages[5]) * resource.getpagesize() if len(pages) > 5 else 0
    for kind, taken in ((resource.RLIMIT_AS, size), (resource.RLIMIT_DATA, data)):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft - taken


def _text(path: Path) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
