"""Addresses of arrays that nothing touches."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.lowering.space import Space

F32 = np.dtype(np.float32)


def test_arrays_do_not_overlap() -> None:
    space = Space()
    shapes = [(3, 5), (), (0, 4), (1 << 12, 1 << 12), (7,), (1 << 13, 1 << 12), (2, 2)]
    arrays = [space.array(shape, F32) for shape in shapes]
    assert [array.shape for array in arrays] == shapes
    places = sorted((array.ctypes.data, array.ctypes.data + max(array.nbytes, 1)) for array in arrays)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(places))
    assert all(array.ctypes.data % 64 == 0 for array in arrays)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_untouched_arrays_take_no_memory() -> None:
    def resident() -> int:
        found = re.search(r"RssAnon:\s*(\d+)", Path("/proc/self/status").read_text())
        assert found is not None
        return int(found[1]) * 1024

    space, before = Space(), resident()
    arrays = [space.array((1 << 20,), F32) for _ in range(100)]
    assert sum(array.nbytes for array in arrays) == 400 << 20
    assert resident() - before < 40 << 20
