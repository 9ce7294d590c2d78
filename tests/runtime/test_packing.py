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
from irrun.runtime.packing import copy
from irrun.tensor import Array


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(threads, "_COUNT", [3])
    yield
    packing.finish()


def copied(source: Array) -> Array:
    """Return memory to which elements are copied until all is packed."""
    out = np.zeros(source.shape, source.dtype)
    copy(source, out)
    return out


def test_a_call_reads_what_the_one_before_it_wrote() -> None:
    source = np.arange(600_000, dtype=np.float32).reshape(600, 1000)
    with packing.packed():
        turned = copied(source.T)
        back = copied(turned.T)
    assert np.array_equal(back, source)


def test_more_calls_than_a_tape_has() -> None:
    sources = [np.full((40, 30), number, np.float32) for number in range(1300)]
    with packing.packed():
        copies = [copied(source.T) for source in sources]
    assert [int(copy.max()) for copy in copies] == [int(copy.min()) for copy in copies] == list(range(1300))


def test_a_failure_leaves_nothing_undone() -> None:
    source = np.arange(1200.0, dtype=np.float32).reshape(30, 40)
    copies: list[Array] = []

    def fail() -> None:
        with packing.packed():
            copies.append(copied(source.T))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert np.array_equal(copies[0], source.T)


def test_what_is_read_is_kept_until_it_is_packed() -> None:
    calls: list[str] = []
    source = np.ones((1 << 10, 1 << 10), np.float32)
    reference = weakref.ref(source)
    with packing.packed():
        copied(source.T)
        del source
        packing.when_packed(lambda: calls.append("packed"))
        calls.append("posted")
    gc.collect()
    assert calls == ["posted", "packed"]
    assert reference() is None


def test_threads_without_calls_end(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[threading.Thread] = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (others.append(self), start(self)))
    with packing.packed():
        copied(np.ones((1 << 10, 1 << 10), np.float32).T)
        for each in others:
            each.join(10)
            assert not each.is_alive()
    assert len(others) == 2


def test_two_threads_pack_for_plans_of_their_own() -> None:
    results: list[bool] = []

    def lower(number: int) -> None:
        source = np.full((200, 300), number, np.float32)
        with packing.packed():
            copies = [copied(source.T) for _ in range(20)]
        results.append(all(np.array_equal(copy, source.T) for copy in copies))

    lowering = [threading.Thread(target=lower, args=(number,)) for number in range(4)]
    for each in lowering:
        each.start()
    for each in lowering:
        each.join()
    assert results == [True] * 4
