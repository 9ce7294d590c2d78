"""Weights are packed by other threads while a plan is lowered."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from irrun.kernels import threads
from irrun.runtime import packing
from irrun.runtime.packing import pack
from irrun.runtime.packs import Packs
from irrun.tensor import Array
from irrun_kernels.host import LANES


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(threads, "_COUNT", [3])


def packed(source: Array) -> Array:
    """Return the panels of a matrix [K, N] of whole panels, complete when all is packed."""
    return pack(source, lambda part: source[:, part], source.shape, source.dtype, 1)


def in_panels(source: Array) -> Array:
    return source.reshape(len(source), -1, LANES).swapaxes(0, 1).reshape(-1)


def matrix(number: int, rows: int = 30, panels: int = 4) -> Array:
    return np.arange(rows * panels * LANES, dtype=np.float32).reshape(rows, -1) + number


def test_many_matrices() -> None:
    sources = [matrix(number) for number in range(300)]
    with packing.packed(Packs()):
        panels = [packed(source) for source in sources]
    assert all(np.array_equal(each, in_panels(source)) for each, source in zip(panels, sources, strict=True))


def test_other_plans_share_what_is_complete() -> None:
    packs, source = Packs(), matrix(0)
    with packing.packed(packs):
        panels = packing.shared(packs, "weights", lambda: packed(source))
        assert packing.shared(packs, "weights", lambda: packed(source)) is panels
        assert not packs
    assert packing.shared(packs, "weights", lambda: packed(source)) is panels
    assert np.array_equal(panels, in_panels(source))


def test_the_calling_thread_meets_what_fails() -> None:
    callers: list[str] = []

    def fail() -> None:
        callers.append(threading.current_thread().name)
        raise MemoryError

    with pytest.raises(MemoryError), packing.packed(Packs()):
        packing.later(fail, 1 << 20)
    assert callers[-1] == threading.current_thread().name


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("late", [False, True])
def test_what_is_left_undone_is_shared_with_nobody(late: bool, error: type[BaseException]) -> None:
    """A fault or an interrupt comes while a plan is lowered, or behind that, while the rest is packed."""
    packs = Packs()

    def fail() -> None:
        raise error

    def lower() -> None:
        with packing.packed(packs):
            packing.shared(packs, "weights", lambda: panels)
            packing.later(fail, 0) if late else fail()

    panels = packed(matrix(0))
    with pytest.raises(error):
        lower()
    assert not packs


def test_what_is_read_is_kept_until_it_is_packed() -> None:
    source = matrix(0, 1 << 10, 64)
    reference = weakref.ref(source)
    expected = in_panels(source)
    with packing.packed(Packs()):
        panels = packed(source)
        del source
    assert np.array_equal(panels, expected)
    gc.collect()
    assert reference() is None


def test_threads_end(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[threading.Thread] = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (others.append(self), start(self)))
    with packing.packed(Packs()):
        packed(matrix(0, 1 << 10, 64))
        for each in others:
            each.join(10)
            assert not each.is_alive()
    assert others


def test_two_threads_pack_for_plans_of_their_own() -> None:
    results: list[bool] = []

    def lower(number: int) -> None:
        source = matrix(number, 200, 40)
        with packing.packed(Packs()):
            panels = [packed(source) for _ in range(20)]
        results.append(all(np.array_equal(each, in_panels(source)) for each in panels))

    lowering = [threading.Thread(target=lower, args=(number,)) for number in range(4)]
    for each in lowering:
        each.start()
    for each in lowering:
        each.join()
    assert results == [True] * 4
