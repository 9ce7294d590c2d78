from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from irrun.kernels.interpolate import Axis, linear_onnx, nearest, resample
from irrun.kernels.pooling import avg_pool, axis_windows, max_pool
from irrun.kernels.windows import Geometry
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]
WINDOWS: list[tuple[int, int, int, int, int]] = [
    (2, 2, 1, 0, 0),
    (3, 2, 1, 1, 1),
    (3, 1, 1, 1, 1),
    (3, 2, 2, 1, 2),
    (7, 7, 1, 0, 0),
    (2, 3, 1, 1, 3),
]


def _windows(x: Array, kernel: int, stride: int, dilation: int, begin: int, end: int, value: float) -> Array:
    padded = np.pad(x, ((0, 0), (0, 0), (begin, end), (begin, end)), constant_values=value)
    span = (kernel - 1) * dilation + 1
    seen = sliding_window_view(padded, (span, span), axis=(2, 3))
    return seen[:, :, ::stride, ::stride, ::dilation, ::dilation]


@merged()
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 21, 23), (1, 64, 40, 56)])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_pooling(
    window: tuple[int, int, int, int, int],
    channels_last: bool,
    shape: tuple[int, ...],
    team: Callable[[int], None],
    threads: int,
) -> None:
    team(threads)
    kernel, stride, dilation, begin, _ = window
    x = np.random.default_rng(4).standard_normal(shape, dtype=np.float32)
    x[0, 0, 3:9, 2:9] = np.nan
    clean = np.where(np.isnan(x), -np.inf, x)
    largest = _windows(clean, *window, -np.inf).max(axis=(-2, -1))
    counts = largest.shape[2:]
    if channels_last:
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    windows = (kernel, stride, dilation, begin)
    where = axis_windows(Geometry(*((of, of) for of in windows), clean.shape[2:], counts))
    result = max_pool(x, where)
    np.testing.assert_array_equal(result, largest)
    assert result.strides[1] == 4 or not channels_last
    zeros = np.where(np.isnan(x), 0, x)
    sums = _windows(zeros, *window, 0).astype(np.float64).sum(axis=(-2, -1))
    inside = _windows(np.ones_like(x), *window, 0).sum(axis=(-2, -1))
    np.testing.assert_allclose(avg_pool(zeros, where, kernel**2), sums / kernel**2, atol=1e-6)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(avg_pool(zeros, where, 0), sums / inside, atol=1e-6)


@pytest.mark.parametrize("scale", [2, 3])
def test_nearest_repeats(scale: int) -> None:
    x = np.random.default_rng(5).standard_normal((1, 3, 5, 7), dtype=np.float32)
    axes = [Axis(2, 5, 5 * scale, float(scale)), Axis(3, 7, 7 * scale, float(scale))]
    result = resample(x, axes, nearest("asymmetric", "floor"))
    np.testing.assert_array_equal(result, x.repeat(scale, axis=2).repeat(scale, axis=3))


@pytest.mark.parametrize(("size", "target"), [(5, 10), (9, 4), (300, 450)])
def test_linear_follows_the_line(size: int, target: int) -> None:
    x = np.random.default_rng(6).standard_normal((2, size), dtype=np.float32)
    result = resample(x, [Axis(1, size, target, target / size)], linear_onnx("half_pixel"))
    places = np.clip((np.arange(target) + 0.5) * size / target - 0.5, 0, size - 1)
    exact = np.stack([np.interp(places, np.arange(size), row) for row in x])
    np.testing.assert_allclose(result, exact, atol=2e-4 if size > 256 else 5e-6)


def test_linear_keeps_an_infinity_to_its_neighbours() -> None:
    x = np.array([[0, 1, np.inf, 3, 4, 5]], np.float32)
    result = resample(x, [Axis(1, 6, 12, 2.0)], linear_onnx("half_pixel"))
    np.testing.assert_array_equal(np.isfinite(result[0]), [True] * 3 + [False] * 4 + [True] * 5)
