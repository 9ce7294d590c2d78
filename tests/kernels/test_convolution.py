"""Convolutions, compared with a product of all windows in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from irrun.kernels.convolution import Convolution, multiply_windows
from irrun.kernels.elementwise import Elementwise, clipped
from irrun.kernels.windows import Geometry
from irrun.kernels.winograd import multiply_tiles
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.fused_products import FusedConvolution
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BF16, F32
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]


def fused(
    weights: Array,
    shape: tuple[int, ...],
    windows: Windows,
    bias: Array | None = None,
    activation: Elementwise | None = None,
    *,
    accurate: bool = False,
) -> FusedConvolution:
    """A convolution with weights [G, O, I, *K] and results of a shape."""
    source: Any = SimpleNamespace(windows=lambda _: windows)
    fact = Fact(F32, Shape(shape))
    return FusedConvolution(
        fact=fact, source=source, weights=weights, bias=bias, activation=activation, accurate=accurate
    )


def multiplied_out(
    x: Array,
    weights: Array,
    strides: tuple[int, int],
    dilations: tuple[int, int],
    begins: tuple[int, int],
    ends: tuple[int, int],
) -> Array:
    """Convolve x [N, C, H, W] with weights [G, O, I, *K], all windows at once."""
    groups, _, depth, high, wide = weights.shape
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *zip(begins, ends, strict=True)))
    spans = (high - 1) * dilations[0] + 1, (wide - 1) * dilations[1] + 1
    windows = sliding_window_view(padded, spans, axis=(2, 3))[:, :, :: strides[0], :: strides[1]]
    windows = windows[..., :: dilations[0], :: dilations[1]]
    grouped = windows.reshape(windows.shape[0], groups, depth, *windows.shape[2:])
    result: Array = np.einsum("ngihwyx,goiyx->ngohw", grouped, weights.astype(np.float64), optimize=True)
    return np.asarray(result.reshape(result.shape[0], -1, *result.shape[3:]))


def algorithm(convolution: Convolution, x: Array, geometry: Geometry) -> object:
    sums: Any = convolution.method(x, geometry)
    return sums.func


def channels_last(x: Array) -> Array:
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


GEOMETRIES = {
    "pointwise": ((64, 96, 1), (13, 17), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
    "pointwise, strided": ((64, 32, 1), (13, 17), (1, 1), (2, 2), (1, 1), (0, 0), (0, 0)),
    "pointwise, padded": ((8, 16, 1), (13, 17), (1, 1), (1, 2), (1, 1), (1, 0), (0, 2)),
    "pointwise, many filters": ((8, 40, 1), (13, 17), (1, 1), (2, 1), (1, 1), (0, 0), (0, 0)),
    "winograd": ((32, 48, 1), (29, 31), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "winograd, uneven padding": ((64, 64, 1), (24, 24), (3, 3), (1, 1), (1, 1), (0, 2), (1, 0)),
    "winograd, many filters": ((128, 256, 1), (24, 24), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "first layer": ((3, 32, 1), (65, 63), (7, 7), (2, 2), (1, 1), (3, 3), (3, 3)),
    "strided": ((24, 40, 1), (28, 30), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    "dilated": ((24, 40, 1), (28, 30), (3, 3), (1, 1), (2, 3), (2, 3), (2, 3)),
    "dilated, far": ((20, 40, 1), (14, 15), (3, 3), (1, 1), (12, 11), (12, 11), (12, 11)),
    "dilated, far, strided": ((20, 40, 1), (19, 23), (3, 5), (2, 1), (9, 8), (9, 16), (7, 16)),
    "few filters": ((48, 12, 1), (14, 15), (3, 5), (1, 1), (2, 1), (3, 2), (1, 4)),
    "few points": ((256, 128, 1), (7, 7), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "depthwise": ((48, 48, 48), (28, 30), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "depthwise, strided": ((48, 48, 48), (29, 30), (3, 5), (2, 2), (1, 1), (1, 2), (1, 2)),
    "depthwise, dilated": ((48, 48, 48), (29, 30), (3, 3), (2, 3), (2, 2), (1, 2), (1, 2)),
    "depthwise, pointwise": ((48, 48, 48), (14, 15), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
    "depthwise, two filters each": ((16, 32, 16), (14, 14), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "grouped": ((24, 36, 3), (14, 15), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "grouped, pointwise": ((240, 120, 4), (14, 15), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
}


@merged("batch")
@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_convolution_with_bias_summand_and_activation(
    name: str, batch: int, team: Callable[[int], None], threads: int
) -> None:
    team(threads)
    (channels, filters, groups), size, kernel, strides, dilations, begins, ends = GEOMETRIES[name]
    draw = np.random.default_rng(7)
    x = draw.standard_normal((batch, channels, *size), dtype=np.float32)
    weights = draw.standard_normal((groups, filters // groups, channels // groups, *kernel), dtype=np.float32)
    bias = draw.standard_normal(filters, dtype=np.float32)
    exact = multiplied_out(x, weights, strides, dilations, begins, ends) + bias[:, None, None]
    summand = draw.standard_normal(exact.shape, dtype=np.float32)
    tolerance = 6e-5 * np.sqrt(channels // groups * kernel[0] * kernel[1])

    geometry = Windows(strides, dilations, begins, ends).geometry(size, kernel)
    convolution = Convolution(weights, bias, clipped(0, math.inf), accurate=False)
    for data in (x, channels_last(x)):
        np.testing.assert_allclose(convolution(data, geometry), np.maximum(exact, 0), atol=tolerance, rtol=0)
        for extra in (summand, channels_last(summand)):
            result = convolution(data, geometry, extra)
            np.testing.assert_allclose(result, np.maximum(exact + summand, 0), atol=tolerance, rtol=0)


@pytest.mark.parametrize("axes", [1, 3])
def test_other_numbers_of_axes(axes: int) -> None:
    draw = np.random.default_rng(8)
    x = draw.standard_normal((2, 4, *(9,) * axes))
    weights = draw.standard_normal((1, 6, 4, *(3,) * axes))
    bias = draw.standard_normal(6)
    geometry = Windows((2,) * axes, (1,) * axes, (1,) * axes, (0,) * axes).geometry(x.shape[2:], (3,) * axes)
    convolution = Convolution(weights, bias)
    padded = np.pad(x, ((0, 0), (0, 0), *((1, 0),) * axes))
    windows = sliding_window_view(padded, (3,) * axes, axis=tuple(range(2, 2 + axes)))
    windows = windows[(slice(None), slice(None), *(slice(None, None, 2),) * axes)]
    letters = "abc"[:axes], "xyz"[:axes]
    exact = np.einsum(f"ni{letters[0]}{letters[1]},oi{letters[1]}->no{letters[0]}", windows, weights[0])
    exact += bias.reshape(-1, *(1,) * axes)
    np.testing.assert_allclose(convolution(x, geometry), exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("channels", "size"), [(32, 24), (64, 28), (256, 28), (512, 32)])
def test_error_of_winograd_is_bounded(channels: int, size: int) -> None:
    """Relative to the root of the sum of the squared products: 2e-6 on average, 3e-5 at most."""
    draw = np.random.default_rng(9)
    x = draw.standard_normal((1, channels, size, size), dtype=np.float32)
    weights = draw.standard_normal((1, channels, channels, 3, 3), dtype=np.float32)
    where = ((1, 1), (1, 1), (1, 1), (1, 1))
    exact = multiplied_out(x, weights, *where)
    root = np.sqrt(multiplied_out(x**2, weights**2, *where))
    geometry = Windows(*where).geometry((size, size), (3, 3))
    fast, accurate = Convolution(weights, accurate=False), Convolution(weights)
    assert algorithm(fast, x, geometry) is multiply_tiles
    assert algorithm(accurate, x, geometry) is multiply_windows
    error = np.abs(fast(x, geometry) - exact) / root
    assert error.mean() < 2e-6
    assert error.max() < 3e-5
    assert (np.abs(accurate(x, geometry) - exact) / root).max() < 4e-6


@merged()
@pytest.mark.parametrize("bias", [None, np.arange(32, dtype=np.float32)], ids=["", "bias"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (3, 4), (9, 22), (22, 21)])
def test_tiles_do_not_spread_what_is_not_finite(place: tuple[int, int], value: float, bias: Array | None) -> None:
    draw = np.random.default_rng(9)
    x = draw.standard_normal((1, 32, 23, 23), dtype=np.float32)
    x[0, 5][place] = value
    weights = draw.standard_normal((1, 32, 32, 3, 3), dtype=np.float32)
    geometry = Windows((1, 1), (1, 1), (1, 1), (1, 1)).geometry((23, 23), (3, 3))
    convolution = Convolution(weights, bias, accurate=False)
    assert algorithm(convolution, np.nan_to_num(x, nan=0, posinf=0, neginf=0), geometry) is multiply_tiles
    with np.errstate(invalid="ignore"):
        expected = Convolution(weights, bias)(x, geometry)
        found = convolution(x, geometry)
    down, along = (min(at + 1, 22) - max(at - 1, 0) + 1 for at in place)
    assert np.count_nonzero(~np.isfinite(expected)) == 32 * down * along
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("sign", [1, -1])
def test_large_numbers_do_not_overflow_in_tiles(sign: int) -> None:
    weights = np.full((1, 32, 32, 3, 3), 1e-6, np.float32)
    geometry = Windows((1, 1), (1, 1), (0, 0), (0, 0)).geometry((26, 26), (3, 3))
    x = np.full((1, 32, 26, 26), sign * 1e38, np.float32)
    found = Convolution(weights, accurate=False)(x, geometry)
    np.testing.assert_allclose(found, np.full((1, 32, 24, 24), sign * 288e32), rtol=1e-5)


def test_weights_that_are_not_finite_are_not_transformed() -> None:
    weights = np.ones((1, 32, 32, 3, 3), np.float32)
    weights[0, 7, 3, 1, 1] = np.inf
    geometry = Windows((1, 1), (1, 1), (0, 0), (0, 0)).geometry((26, 26), (3, 3))
    convolution = Convolution(weights, accurate=False)
    x = np.ones((1, 32, 26, 26), np.float32)
    assert algorithm(convolution, x, geometry) is multiply_windows
    expected = np.full((1, 32, 24, 24), 288, np.float32)
    expected[0, 7] = np.inf
    np.testing.assert_array_equal(convolution(x, geometry), expected)


def test_results_lie_with_channels_last() -> None:
    x = np.ones((1, 8, 5, 6), np.float32)
    geometry = Windows((1, 1), (1, 1), (0, 0), (0, 0)).geometry((5, 6), (1, 1))
    result = Convolution(np.ones((1, 4, 8, 1, 1), np.float32))(x, geometry)
    assert result.transpose(0, 2, 3, 1).flags.c_contiguous
    np.testing.assert_array_equal(result, np.full((1, 4, 5, 6), 8))


def test_an_operation_of_another_precision_prepares_its_own_weights() -> None:
    weights = np.array([1 + 2**-7, 1 + 2**-9], np.float32).reshape(1, 1, 2, 1, 1)
    op = fused(weights, (1, 1, 1, 1), Windows((1, 1), (1, 1), (0, 0), (0, 0)), accurate=True)
    data = np.array([1, 256], np.float32).reshape(1, 2, 1, 1)
    assert np.asarray(op.run(data)).item() == 257 + 2**-7 + 2**-1
    assert np.asarray(op.in_precision(BF16).run(data)).item() == 257 + 2**-7
    assert np.asarray(op.run(data)).item() == 257 + 2**-7 + 2**-1
