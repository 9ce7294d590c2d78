"""Places of arrays in memory."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.program import place
from irrun.runtime.view import Buffer


def placed(*needs: tuple[int, int, int]) -> tuple[dict[int, int], int]:
    """Place buffers of (bytes, first item, last item)."""
    buffers = [Buffer("arena", first=first, last=last) for _, first, last in needs]
    return place(buffers, [size for size, _, _ in needs])


def test_arrays_that_are_not_needed_together_share_memory() -> None:
    assert placed((640, 0, 1), (640, 1, 2), (640, 2, 3)) == ({0: 0, 1: 640, 2: 0}, 1280)


def test_an_unused_array_has_no_place() -> None:
    assert placed((64, -1, -1), (1, 0, 0)) == ({1: 0}, 64)


def test_only_buffers_of_the_arena_have_a_place() -> None:
    kinds = [Buffer("constant", first=0, last=1), Buffer("given", first=0, last=1), Buffer("numbers", first=0, last=1)]
    assert place([*kinds, Buffer("arena", first=0, last=1)], [100] * 4) == ({3: 0}, 128)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_overlaps_that_is_needed_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    needs = [(int(random.integers(0, 5000)), *sorted(random.integers(0, 40, 2).tolist())) for _ in range(120)]
    offsets, size = placed(*needs)
    assert len(offsets) == len(needs)
    for number, (bytes, first, last) in enumerate(needs):
        begin, end = offsets[number], offsets[number] + bytes
        assert begin % 64 == 0
        assert end <= size
        for other, (its_bytes, its_first, its_last) in enumerate(needs[:number]):
            if first <= its_last and its_first <= last:
                assert end <= offsets[other] or offsets[other] + its_bytes <= begin
