from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from irrun.kernels.threads import (
    WORTH_A_THREAD,
    Buffers,
    by_blocks,
    hand_over_scratch,
    scratch,
    scratch_in,
    set_threads,
    split,
    threads,
)


def test_ranges_make_up_the_whole(team: int) -> None:
    met = np.zeros(1000, np.int64)
    names: set[str] = set()

    def work(start: int, stop: int) -> None:
        met[start:stop] += 1
        names.add(threading.current_thread().name)

    split(work, 1000, 10 * WORTH_A_THREAD)
    assert (met == 1).all()
    assert 1 <= len(names) <= team


@pytest.mark.usefixtures("team")
def test_little_work_stays_in_the_calling_thread() -> None:
    parts: list[tuple[int, int, str]] = []
    split(lambda a, b: parts.append((a, b, threading.current_thread().name)), 8, WORTH_A_THREAD)
    assert parts == [(0, 8, threading.current_thread().name)]


@pytest.mark.usefixtures("team")
def test_a_part_does_not_split_again() -> None:
    inner: list[tuple[int, int]] = []

    def work(_start: int, _stop: int) -> None:
        split(lambda a, b: inner.append((a, b)), 6, 10 * WORTH_A_THREAD)

    split(work, 3, 10 * WORTH_A_THREAD)
    assert set(inner) == {(0, 6)} or threads() == 1


@pytest.mark.usefixtures("team")
def test_an_error_in_a_part_is_raised() -> None:
    def work(_start: int, stop: int) -> None:
        if stop == 9:
            raise ValueError("the last part")

    with pytest.raises(ValueError, match="the last part"):
        split(work, 9, 10 * WORTH_A_THREAD)


@pytest.mark.usefixtures("team")
def test_floating_point_errors_are_handled_as_the_caller_says() -> None:
    zeros = np.zeros(64)

    def work(start: int, stop: int) -> None:
        time.sleep(0.002)
        zeros[start:stop] = 1 / zeros[start:stop]

    with np.errstate(divide="ignore"):
        split(work, 64, 10 * WORTH_A_THREAD)
    assert np.isinf(zeros).all()


def test_threads_below_one() -> None:
    with pytest.raises(ValueError, match="0 threads, expected at least 1"):
        set_threads(0)


@pytest.mark.parametrize("shape", [(3,), (5, 70_001), (0, 4), (2, 3, 300, 400)])
@pytest.mark.usefixtures("team")
def test_blocks_cover_every_layout(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    for laid in (x, np.asfortranarray(x), x[::-1], np.repeat(x, 2, axis=-1)[..., ::2]):
        result = by_blocks(lambda part, out: np.multiply(part, 2, out=out), laid)
        np.testing.assert_array_equal(result, laid * 2)
        out = np.empty(shape, np.float32)
        assert by_blocks(lambda part, out: np.multiply(part, 2, out=out), laid, out) is out
        np.testing.assert_array_equal(out, laid * 2)


def test_scratch_is_reused_and_aligned() -> None:
    first = scratch("test", (100, 3), np.float32)
    second = scratch("test", (10,), np.float64)
    assert first.ctypes.data == second.ctypes.data
    assert first.ctypes.data % 64 == 0
    assert second.shape == (10,)


def test_scratch_may_lie_elsewhere_for_a_while_and_is_handed_over() -> None:
    """Also by a thread that had none of its own before."""
    hand_over_scratch()
    others: Buffers = {}
    with scratch_in(others):
        elsewhere = scratch("handed", (4,), np.float32)
    assert hand_over_scratch() == {}
    own = scratch("handed", (4,), np.float32)
    assert own is not elsewhere
    taken = hand_over_scratch()
    assert scratch("handed", (4,), np.float32) is not own
    for buffers, array in ((taken, own), (others, elsewhere)):
        with scratch_in(buffers):
            assert scratch("handed", (4,), np.float32) is array
