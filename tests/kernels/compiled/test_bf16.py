"""Products of bf16 in the order in which processors add, on processors with and without an instruction for them."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.casting import bf16_bits, rounded, widened
from irrun.kernels.elementwise import Elementwise
from irrun.ops._declared.fused.fused_conversions import FusedRound
from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.runtime import packing
from irrun.runtime.packing import finished
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BF16, F16, F32, U16
from irrun_kernels.backends import OF_BF16
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged

SPECIAL = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 1e-39, -1e-40, 2.0**-126, 3.4e38, 65519.0, 65520.0, -7e4, 2.0**-25),
        *(1.5e-7, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 2.0**-14 - 2.0**-26),
    ],
    np.float32,
)


@merged()
@pytest.mark.parametrize("type", [BF16, F16])
def test_numbers_are_rounded_to_nearest_even(type: ElementType) -> None:
    draw = np.random.default_rng(0)
    x = np.concatenate([SPECIAL, draw.standard_normal(300) * np.exp2(draw.integers(-30, 17, 300))]).astype(np.float32)
    fact = Fact(F32, Shape(x.shape))
    result = run(FusedRound(fact=fact, precision=type), x)
    assert result is not None
    np.testing.assert_array_equal(result.view(np.uint32), rounded(x, type.name).view(np.uint32))
    if type is F16:
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(result, x.astype(np.float16).astype(np.float32))


def test_bits_of_bf16_are_those_of_the_numbers() -> None:
    x = np.tile(SPECIAL, 7)
    bits = run(FusedRound(fact=Fact(U16, Shape(x.shape)), precision=BF16), x)
    assert bits is not None
    np.testing.assert_array_equal(bits, bf16_bits(x))
    np.testing.assert_array_equal(widened(bits), rounded(x, "bf16"))
    assert widened(bits)[14:16].tolist() == [1.0, 1 + 2.0**-6]


@merged()
@pytest.mark.parametrize("shape", [(4, 6), (3, 4, 6), (5, 3, 4, 6)])
def test_rows_of_larger_arrays(shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(0)
    x = draw.standard_normal([size + 3 for size in shape], np.float32)[tuple(slice(size) for size in shape)]
    for type, rounding in ((BF16, "bf16"), (F16, "f16")):
        found = run(FusedRound(fact=Fact(F32, Shape(shape)), precision=type), x, constants=1)
        np.testing.assert_array_equal(found, rounded(np.ascontiguousarray(x), rounding))
    np.testing.assert_array_equal(finished(lambda: packing.bf16_bits(x)), bf16_bits(np.ascontiguousarray(x)))


def multiplied_in_pairs(x: Array, weights: Array) -> Array:
    """The product of bf16 with each sum rounded to f32: of two numbers, first the odd one."""
    sums = np.zeros((len(x), weights.shape[1]), np.float32)
    for even in range(0, len(weights), 2):
        for k in (even + 1, even):
            term = np.multiply.outer(x[:, k].astype(np.longdouble), weights[k].astype(np.longdouble))
            sums = (sums.astype(np.longdouble) + term).astype(np.float32)
    return sums


@merged()
@pytest.mark.parametrize("size", [(1, 64, 70), (7, 30, 64), (40, 2, 17), (13, 3000, 5)])
def test_products_are_equal_to_the_bit(size: tuple[int, int, int]) -> None:
    points, depth, columns = size
    draw = np.random.default_rng(1)
    x, weights = (rounded(draw.standard_normal(shape).astype(np.float32), "bf16") for shape in (size[:2], size[1:]))
    fact = Fact(F32, Shape((points, columns)))
    op = FusedMatMul(fact=fact, weights=weights, bias=None, activation=None).in_precision(BF16).with_bf16(floats=False)
    expected = multiplied_in_pairs(x, weights)
    both = run(op.with_bf16(floats=True), bf16_bits(x))
    alone = run(op, bf16_bits(x))
    assert both is not None
    assert alone is not None
    error = np.abs(x) @ np.abs(weights) * 2.0**-23
    if OF_BF16.name == "BFDOT":
        # This instruction rounds the sum of two products to odd.
        assert (np.abs(both[0] - expected) <= 2 * np.sqrt(depth) * error).all()
    else:
        np.testing.assert_array_equal(both[0], expected)
    np.testing.assert_array_equal(both[1], bf16_bits(both[0]))
    np.testing.assert_array_equal(alone, both[1])
    numpy = op.with_bf16(floats=True).run(bf16_bits(x))[0]
    assert (np.abs(numpy - expected) <= 2 * np.sqrt(depth) * error).all()


@merged()
@pytest.mark.parametrize("size", [(1, 16, 70), (40, 16, 70), (40, 7, 200)])
def test_a_function_of_products_without_f32(size: tuple[int, int, int]) -> None:
    draw = np.random.default_rng(1)
    x, weights = (draw.standard_normal(shape).astype(np.float32) for shape in (size[:2], size[1:]))
    fact, swish = Fact(F32, Shape((size[0], size[2]))), Elementwise("swish", (), np.exp)
    op = FusedMatMul(fact=fact, weights=weights, bias=None, activation=swish).in_precision(BF16).with_bf16(floats=False)
    both, alone = run(op.with_bf16(floats=True), bf16_bits(x)), run(op, bf16_bits(x))
    assert both is not None
    sums = rounded(x, "bf16").astype(np.float64) @ rounded(weights, "bf16")
    np.testing.assert_allclose(both[0], sums / (1 + np.exp(-sums)), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(alone, bf16_bits(both[0]))
