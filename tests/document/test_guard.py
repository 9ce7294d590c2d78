"""The handler of missing pages, called as the system calls it."""

from __future__ import annotations

import ctypes
import mmap
import signal
import sys

import pytest

from irrun.document import guard
from irrun.document.guard import MapGuard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guard knows Linux")


class System:
    """A C library that maps nothing, and records the actions that are restored."""

    def __init__(self) -> None:
        self.restored: list[int] = []

    def mmap(self, *_: object) -> int:
        return -1

    def sigaction(self, number: int, *_: object) -> None:
        self.restored.append(number)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    system = System()
    monkeypatch.setattr(guard, "_libc", system)
    monkeypatch.setattr(guard, "_install", lambda: None)
    return system


@pytest.fixture
def map() -> mmap.mmap:
    return mmap.mmap(-1, 2 * mmap.PAGESIZE)


def missing(address: int) -> None:
    info = (ctypes.c_void_p * 4)(0, 0, address, 0)
    guard._on_missing_page(signal.SIGBUS, ctypes.addressof(info), 0)


@pytest.mark.parametrize("offset", [0, 2 * mmap.PAGESIZE - 1])
def test_zeros_that_cannot_be_mapped(system: System, map: mmap.mmap, offset: int) -> None:
    watch = MapGuard(map)
    missing(watch.start + offset)
    assert (watch.is_torn, system.restored) == (True, [signal.SIGBUS])


@pytest.mark.parametrize("end", ["start", "end"])
def test_a_page_outside_the_map(system: System, map: mmap.mmap, end: str) -> None:
    watch = MapGuard(map)
    missing(watch.start - 1 if end == "start" else watch.end)
    assert (watch.is_torn, system.restored) == (False, [signal.SIGBUS])


def test_the_range_of_a_guard_is_whole_pages() -> None:
    watch = MapGuard(mmap.mmap(-1, mmap.PAGESIZE + 1))
    assert watch.end - watch.start == 2 * mmap.PAGESIZE


def test_an_older_guard_does_not_end_the_watch_at_its_address(map: mmap.mmap) -> None:
    old, new = MapGuard(map), MapGuard(map)
    guard._forget(old)
    assert guard._guards[new.start] is new
    guard._forget(new)
    assert new.start not in guard._guards


def test_other_systems_have_no_guard(map: mmap.mmap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_IS_SUPPORTED", False)
    watch = MapGuard(map)
    assert not watch.is_torn
    assert watch.start not in guard._guards
