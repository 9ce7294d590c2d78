"""Rows of weights in few bits, as f32."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.lookup import Nibbles
from irrun.ops import Fact
from irrun.ops._declared.fused.fused_packed_gather import FusedPackedGather
from irrun.tensor import Array, Shape
from irrun.tensor.element_type import F32
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged

RNG = np.random.default_rng(0)


def codes(kind: str, shape: tuple[int, ...]) -> Array | Nibbles:
    if kind in ("i4", "u4"):
        pairs = RNG.integers(0, 256, (*shape[:-1], shape[-1] // 2), np.uint8)
        return Nibbles(pairs, signed=kind == "i4")
    bounds = np.iinfo(kind)
    return RNG.integers(bounds.min, bounds.max, shape, kind, endpoint=True)


@merged()
@pytest.mark.parametrize("sides", [(None, None), (None, 1), (1, 1), (6, 6)], ids=str)
@pytest.mark.parametrize("kind", ["int8", "uint8", "i4", "u4"])
@pytest.mark.parametrize(("shape", "row"), [((9, 6), (6,)), ((9, 4, 6), (24,))])
def test_rows(kind: str, sides: tuple[int | None, int | None], shape: tuple[int, ...], row: tuple[int, ...]) -> None:
    zero, scale = (
        None if width is None else RNG.integers(1, 16, (*shape[:-1], width)).astype(np.float32) for width in sides
    )
    op = FusedPackedGather(
        fact=Fact(F32, Shape((2, 3, *row))), stored=codes(kind, shape), zero=zero, scale=scale, row=row, from_end=True
    )
    indices = np.array([[0, 8, -1], [3, 3, -9]])
    found = run(op, indices)
    assert found is not None
    np.testing.assert_array_equal(found, op.run(indices))
