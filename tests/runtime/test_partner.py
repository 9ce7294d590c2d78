"""One process of a crew, without others: when it does again what a kernel did, and when it gives up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.runtime.partner import CrewError, Partner
from irrun.runtime.rehearsal import Arena, Rehearsed


def test_a_tensor_must_lie_as_it_did_in_the_rehearsal() -> None:
    layouts: list[Any] = []
    image = np.zeros((4, 6), np.float32)
    memory = Rehearsed(Arena(1 << 16))
    rehearsal = Partner(0, 2, memory, layouts, None, bool, 0)
    rehearsal.gather([image, None])
    later = Partner(0, 1, memory, layouts, memoryview(bytearray(64)).cast("q"), bool, 0)
    later.gather([image + 1, None])
    later.begin()
    with pytest.raises(CrewError, match="does not lie in memory as it did"):
        later.gather([np.zeros((6, 4), np.float32).T, None])


def test_a_kernel_is_called_where_its_input_lies_elsewhere() -> None:
    memory = Rehearsed(Arena(1 << 16))
    result = memory.empty((4,), np.dtype(np.float32))
    memory.settle([])
    marks = memoryview(bytearray(64)).cast("q")
    partner, given = Partner(0, 1, memory, [[((4,), (4,))]] * 3, marks, bool, 0), np.ones(4, np.float32)
    partner.gather([given])
    partner.split(lambda first, last: np.add(given[first:last], 1, out=result[first:last]), 4, 1, True)
    partner.learn([given], result)
    given[:] = 5
    partner.begin()
    assert partner.repeat([given]) is result
    assert result.tolist() == [6, 6, 6, 6]
    partner.begin()
    assert partner.repeat([given.copy()]) is None
    assert partner.repeat([given]) is None
