"""Products of bytes against exact arithmetic, on processors with and without an instruction for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from irrun.kernels.elementwise import Elementwise
from irrun.kernels.quantize import Levels
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.fused_products import FusedIntegerConvolution, IntegerEpilogue
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged
from tests.kernels.test_convolution import GEOMETRIES, channels_last, multiplied_out

OUT = Levels(-1.0, 1.5, -1.0, 1.5, 255)
BETWEEN = Levels(-2.0, 2.0, -2.0, 2.0, 254)
ADDED = Levels(-0.5, 0.5, -0.5, 0.5, 255)
RELU = Elementwise("clamp", (0.0, np.inf), lambda x: np.maximum(x, 0))
NEAR, NUMPY = 2e-4, 5e-3
"""The error of roundings to f32, in steps: where sums are integers, and where they are f32."""


@merged()
@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize("zero", [0, 77])
@pytest.mark.parametrize("form", ["plain", "summand", "levels", "rounded"])
def test_levels_are_half_a_step_from_exact_numbers_at_most(name: str, zero: int, form: str) -> None:
    (channels, filters, groups), size, kernel, strides, dilations, begins, ends = GEOMETRIES[name]
    draw = np.random.default_rng(3)
    codes = draw.integers(0, 256, (2, channels, *size)).astype(np.uint8)
    weights = draw.integers(-128, 128, (groups, filters // groups, channels // groups, *kernel)).astype(np.int8)
    factor = (draw.uniform(0.5, 1.5, filters) / (75 * 75 * np.sqrt(weights[0, 0].size))).astype(np.float32)
    bias = draw.standard_normal(filters).astype(np.float32)
    sums = multiplied_out(codes.astype(np.float64) - zero, weights.astype(np.float64), strides, dilations, begins, ends)
    exact = sums * factor.reshape(-1, 1, 1) + bias.reshape(-1, 1, 1)
    inputs: tuple[Array, ...] = (channels_last(codes),)
    added = None
    if form == "summand":
        inputs += (channels_last(draw.standard_normal(exact.shape).astype(np.float32)),)
        exact += inputs[1]
    if form in ("levels", "rounded"):
        added = ADDED
        inputs += (channels_last(draw.integers(0, 256, exact.shape).astype(np.uint8)),)
    if form == "rounded":
        # An error decides here between two levels if it is as near to their middle.
        place = (np.clip(exact, BETWEEN.low, BETWEEN.high) - BETWEEN.low) * BETWEEN.slope
        unclear = np.abs(place - np.floor(place) - 0.5) < NUMPY
        exact = np.rint(place) * BETWEEN.step + BETWEEN.output_low
    if added is not None:
        exact += inputs[1] * added.step + added.output_low
    exact = np.maximum(exact, 0)
    level = np.clip((exact - OUT.low) * OUT.slope, 0, OUT.most)
    end = IntegerEpilogue(zero, factor, bias, BETWEEN if form == "rounded" else None, added, RELU, True, OUT)
    source: Any = SimpleNamespace(windows=lambda _: Windows(strides, dilations, begins, ends))
    op = FusedIntegerConvolution(
        fact=Fact(F32, Shape(exact.shape)), source=source, weights=weights, epilogue=end, accurate=True
    )
    for result, error in ((run(op, *inputs), NEAR), (op.run(*inputs), NUMPY)):
        assert result is not None
        clear = np.ones(exact.shape, bool) if form != "rounded" else ~unclear
        assert clear.mean() > 0.9
        np.testing.assert_allclose(result[0][clear], exact[clear], rtol=1e-5, atol=error * OUT.step)
        assert np.abs(result[1] - level)[clear].max() <= 0.5 + error


@merged()
@pytest.mark.parametrize("filters", [20, 200])
@pytest.mark.parametrize("floats", [False, True])
def test_levels_of_quotients(filters: int, floats: bool) -> None:
    draw = np.random.default_rng(3)
    codes = channels_last(draw.integers(0, 256, (2, 24, 5, 7)).astype(np.uint8))
    weights = draw.integers(-128, 128, (1, filters, 24, 1, 1)).astype(np.int8)
    factor, bias = (draw.uniform(0.5, 1.5, filters).astype(np.float32) / each for each in (30_000, 1))
    multiples = draw.uniform(0.5, 2, (filters, 1, 1)).astype(np.float32)
    sums = np.einsum("nihw,oi->nohw", codes.astype(np.float64), weights[0, :, :, 0, 0].astype(np.float64))
    x = sums * factor.reshape(-1, 1, 1) + bias.reshape(-1, 1, 1)
    swish = Elementwise("swish", (), lambda x: x / (1 + np.exp(-x)))
    end = IntegerEpilogue(0, factor, bias, None, None, swish, floats, OUT, multiples)
    source: Any = SimpleNamespace(windows=lambda _: Windows((1, 1), (1, 1), (0, 0), (0, 0)))
    result = run(
        FusedIntegerConvolution(
            fact=Fact(F32, Shape(x.shape)), source=source, weights=weights, epilogue=end, accurate=True
        ),
        codes,
    )
    assert result is not None
    exact = x / (1 + np.exp(-x)) / multiples
    level = np.clip((exact - OUT.low) * OUT.slope, 0, OUT.most)
    assert np.abs((result[1] if floats else result) - level).max() <= 0.5 + NEAR
