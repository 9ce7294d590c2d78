from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.arena import place
from irrun.runtime.lowering.builder import Buffer


def buffers(*needs: tuple[int, int, int]) -> list[Buffer]:
    """Return buffers for (bytes, first call, last call)."""
    empty = np.empty(0)
    return [Buffer(number, size, empty, first, last) for number, (size, first, last) in enumerate(needs)]


def test_arrays_that_are_not_needed_together_share_memory() -> None:
    offsets, size = place(buffers((640, 0, 1), (640, 1, 2), (640, 2, 3)))
    assert offsets == {0: 0, 1: 640, 2: 0}
    assert size == 1280


def test_an_unused_array_has_no_place() -> None:
    assert place(buffers((64, -1, -1), (1, 0, 0))) == ({1: 0}, 64)


def test_nothing_overlaps_that_is_needed_together() -> None:
    random = np.random.default_rng(3)
    needs = [(int(random.integers(1, 5000)), *sorted(random.integers(0, 40, 2).tolist())) for _ in range(120)]
    found = buffers(*needs)
    offsets, size = place(found)
    for one in found:
        assert offsets[one.start] % 64 == 0
        assert offsets[one.start] + one.size <= size
        for other in found:
            if one.start < other.start and one.first <= other.last and other.first <= one.last:
                apart = offsets[one.start] + one.size <= offsets[other.start]
                assert apart or offsets[other.start] + other.size <= offsets[one.start]
