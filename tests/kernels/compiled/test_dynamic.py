"""Products of activations that are rounded to 8 bits, against exact sums, and both tiers against each other."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.dynamic_quantization import groups_of, quantized
from irrun.kernels.elementwise import Elementwise
from irrun.kernels.lookup import Nibbles
from irrun.kernels.packed_product import PackedMatrix
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged

CLAMP = Elementwise("clamp", (-40.0, 60.0), lambda x: np.clip(x, -40, 60))


@merged()
@pytest.mark.parametrize(
    ("size", "depth", "weights", "expected"),
    [
        (32, 64, 64, (32, 32)),
        (32, 64, 16, (32, 16)),
        (48, 64, 32, (16, 16)),
        (1000, 64, 64, (64, 64)),
        (1, 8, 8, (1, 1)),
    ],
)
def test_groups_fit_those_of_the_weights(size: int, depth: int, weights: int, expected: tuple[int, int]) -> None:
    assert groups_of(size, depth, weights) == expected


def test_rows_are_rounded_group_by_group() -> None:
    x = np.array([[127, -3.5, 2.5, 0.4, 0, 0, np.inf, 1], [1, -2, 0, 0, 1e-3, 0, 0, np.nan]], np.float32)
    levels, scales = quantized(x, 2)
    assert levels.tolist() == [[127, -4, 127, 20, 0, 0, 0, 0], [64, -127, 0, 0, 127, 0, 0, 0]]
    wanted = np.array([[127, 2.5, 0, np.nan], [2, 0, 1e-3, np.nan]], np.float32) / np.float32(127)
    np.testing.assert_array_equal(scales, wanted)


def weights_of(
    kind: str, columns: int, groups: int, each: int, draw: np.random.Generator
) -> tuple[PackedMatrix, Array]:
    """Weights, and the numbers that they mean [K, N]."""
    scale = draw.uniform(0.01, 0.02, (columns, groups)).astype(np.float32)
    zero: Array | None = None
    if kind == "u4":
        stored: Array | Nibbles = Nibbles(draw.integers(0, 256, (columns, groups, each // 2), np.uint8), signed=False)
        zero = draw.integers(6, 10, (columns, groups)).astype(np.float32)
    elif kind == "i4":
        stored = Nibbles(draw.integers(0, 256, (columns, groups, each // 2), np.uint8), signed=True)
    elif kind == "u8":
        stored = draw.integers(0, 256, (columns, groups, each)).astype(np.uint8)
        zero = draw.integers(110, 140, (columns, groups)).astype(np.float32)
    else:
        stored = draw.integers(-128, 128, (columns, groups, each)).astype(np.int8)
    codes = stored[:].astype(np.float64) - (0 if zero is None else zero[:, :, np.newaxis])
    return PackedMatrix(stored, scale, zero), (codes * scale[:, :, np.newaxis]).reshape(columns, -1).T


@merged()
@pytest.mark.parametrize("kind", ["i8", "u8", "i4", "u4"])
@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("columns", [7, 150])
@pytest.mark.parametrize(
    ("groups", "each", "size"), [(1, 256, 32), (4, 64, 64), (4, 32, 64), (3, 64, 1 << 40), (1, 256, 1 << 40)]
)
def test_both_tiers_are_equal_to_the_bit(kind: str, rows: int, columns: int, groups: int, each: int, size: int) -> None:
    draw = np.random.default_rng(2)
    matrix, numbers = weights_of(kind, columns, groups, each, draw)
    x = draw.standard_normal((rows, groups * each), dtype=np.float32) * 3
    x[0, :64] = 0
    bias, summand = (draw.standard_normal(shape, dtype=np.float32) for shape in (columns, (rows, columns)))
    op = FusedPackedMatMul(
        fact=Fact(F32, Shape((rows, columns))), weights=matrix, bias=bias, activation=CLAMP, group_size=size
    )
    levels, scales = quantized(x, groups_of(size, groups * each, each).size)
    near = levels.astype(np.float64) * np.repeat(scales, groups_of(size, groups * each, each).size, 1)[:, : x.shape[1]]
    exact = np.clip(near @ numbers + bias + summand, -40, 60)
    got = op.run(x, summand)
    np.testing.assert_allclose(got, exact, rtol=1e-5, atol=1e-4)
    compiled = run(op, x, summand)
    assert compiled is not None
    np.testing.assert_array_equal(compiled, got)
    # Half a step of each element, at most.
    error = np.repeat(scales, groups_of(size, groups * each, each).size, 1)[:, : x.shape[1]] / 2 @ np.abs(numbers)
    assert (np.abs(got - np.clip(x @ numbers + bias + summand, -40, 60)) <= error + 1e-3).all()


@merged()
@pytest.mark.parametrize("strange", [np.inf, -np.inf, np.nan])
def test_a_group_with_an_element_that_is_not_finite_makes_its_row_nan(strange: float) -> None:
    draw = np.random.default_rng(2)
    matrix, _ = weights_of("i8", 20, 1, 64, draw)
    x = draw.standard_normal((3, 64), dtype=np.float32)
    x[1, 40] = strange
    op = FusedPackedMatMul(fact=Fact(F32, Shape((3, 20))), weights=matrix, bias=None, activation=None, group_size=32)
    got = op.run(x)
    assert np.isnan(got).all(axis=1).tolist() == [False, True, False]
    compiled = run(op, x)
    assert compiled is not None
    np.testing.assert_array_equal(compiled, got)
