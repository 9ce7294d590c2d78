"""The micro-kernel in all of its forms, and packed weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.runtime.packing import FORMS, finished
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from irrun_kernels.host import LANES
from irrun_kernels.micro import VARIANTS
from irrun_kernels.tiling import padded_columns, panel_vectors, tiling
from tests.kernels.compiled import built, lowered, own_kernels
from tests.kernels.merged import merged


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    built.add(Path(own_kernels.__file__))


def run(*arguments: float) -> None:
    built.call(own_kernels.multiply_tile, *arguments)


@merged()
@pytest.mark.parametrize("missing", [0, 1, LANES - 1])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_tile(variant: tuple[int, int], missing: int) -> None:
    rows, vectors = variant
    taps, depth, columns = 3, 5, vectors * LANES - missing
    random = np.random.default_rng(0)
    left = random.standard_normal((rows, taps * depth), dtype=np.float32)
    right = random.standard_normal((taps * depth, vectors * LANES), dtype=np.float32)
    bias = random.standard_normal(columns, dtype=np.float32)
    summand = random.standard_normal((rows, columns), dtype=np.float32)
    out = np.full((rows, columns + 1), 7, np.float32)
    lefts = np.array([[left[i, tap * depth :].ctypes.data for i in range(rows)] for tap in range(taps)])
    outs, summands = (np.array([row.ctypes.data for row in array]) for array in (out, summand))
    exact = left.astype(np.float64) @ right[:, :columns]
    pointers = lefts.ctypes.data, right.ctypes.data
    infinite = np.inf
    run(rows, vectors, taps, depth, *pointers, 0, outs.ctypes.data, 0, columns, -infinite, infinite)
    np.testing.assert_allclose(out[:, :-1], exact, rtol=1e-5, atol=1e-5)
    assert (out[:, -1] == 7).all()
    low, high = -0.5, 1.5
    run(
        rows,
        vectors,
        taps,
        depth,
        *pointers,
        bias.ctypes.data,
        outs.ctypes.data,
        summands.ctypes.data,
        columns,
        low,
        high,
    )
    np.testing.assert_allclose(out[:, :-1], np.clip(exact + bias + summand, low, high), rtol=1e-5, atol=1e-5)


def test_nan_passes_the_bounds() -> None:
    left, right = np.full(1, np.nan, np.float32), np.ones(LANES, np.float32)
    out = np.zeros(LANES, np.float32)
    lefts, outs = np.array([left.ctypes.data]), np.array([out.ctypes.data])
    one = 1.0
    run(1, 1, 1, 1, lefts.ctypes.data, right.ctypes.data, 0, outs.ctypes.data, 0, LANES, -one, one)
    assert np.isnan(out).all()


@merged()
@pytest.mark.parametrize("columns", [1, 16, 17, 63, 64, 65, 130, 200])
def test_packed_weights(columns: int) -> None:
    vectors = panel_vectors(columns)
    matrix = np.arange(3 * columns, dtype=np.float32).reshape(3, columns)
    packed = finished(lambda: FORMS[matrix.dtype].panels(matrix[None, None], vectors))
    assert packed.size == 3 * padded_columns(columns)
    size = vectors * LANES
    for column in range(columns):
        panel = column // size * size
        width = min(size, padded_columns(columns) - panel)
        place = packed[3 * panel :][: 3 * width].reshape(3, width)[:, column - panel]
        np.testing.assert_array_equal(place, matrix[:, column])


@merged()
@pytest.mark.parametrize("points", [1, 2, 49, 197, 12544])
@pytest.mark.parametrize("filters", [1, 30, 64, 1000])
def test_a_product_is_cut_into_whole_tasks(points: int, filters: int) -> None:
    cut = tiling(points, 9, 64, filters)
    panels = -(-filters // (cut.vectors * LANES))
    assert cut.tasks == -(-points // cut.points) * cut.groups
    assert 1 <= cut.groups <= panels
    assert (cut.rows, cut.vectors) in VARIANTS


@merged()
@pytest.mark.parametrize("size", [(1, 2500, 300), (5, 2500, 300), (40, 1025, 130)])
def test_deep_products(size: tuple[int, int, int]) -> None:
    points, _, columns = size
    random = np.random.default_rng(0)
    x, weights = (random.standard_normal(each, np.float32) for each in (size[:2], size[1:]))
    bias = random.standard_normal(columns, np.float32)
    result = lowered.run(
        FusedMatMul(fact=Fact(F32, Shape((points, columns))), weights=weights, bias=bias, activation=None), x
    )
    assert result is not None
    np.testing.assert_allclose(result, x.astype(np.float64) @ weights + bias, rtol=0, atol=1e-3)
