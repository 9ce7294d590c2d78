"""Interpolation, sampling by a grid and adaptive means, in several layouts, against those of NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.image.grid_sample import GridSample
from irrun.ops._declared.image.interpolate import InterpolateV1, InterpolateV4, InterpolateV11
from irrun.ops._declared.pooling.adaptive_avg_pool import AdaptiveAvgPool
from irrun.tensor import Array
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged
from tests.kernels.test_convolution import channels_last

COORDINATES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
SIZES = ((9, 25), (4, 6), (12, 5), (1, 14))


def normal(*shape: int) -> Array:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def check(op: Op, *inputs: Array, constants: int = 0, absent: int = 0) -> None:
    wanted = op.run(*inputs, *(None,) * absent)
    for data in (inputs[0], channels_last(inputs[0])):
        found = run(op, data, *inputs[1:], constants=constants)
        assert found is not None
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=2e-5)


def interpolation(mode: Any, coordinates: Any = "half_pixel", **attributes: Any) -> InterpolateV11:
    common = {"shape_calculation_mode": "sizes", "coordinate_transformation_mode": coordinates}
    return InterpolateV11(mode=mode, **common, **attributes)


@merged()
@pytest.mark.parametrize("mode", ["linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"])
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("channels", [3, 40])
def test_interpolation(mode: Any, coordinates: Any, channels: int) -> None:
    for sizes in SIZES:
        check(
            interpolation(mode, coordinates), normal(2, channels, 6, 7), np.array(sizes), np.array([2, 3]), constants=2
        )


@merged()
@pytest.mark.parametrize("dtype", ["float32", "uint8", "int64"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_nearest_elements(dtype: str, rounding: Any, coordinates: Any) -> None:
    x = (90 * np.abs(normal(2, 5, 6, 7))).astype(dtype)
    for sizes in SIZES:
        op = interpolation("nearest", coordinates, nearest_mode=rounding)
        check(op, x, np.array(sizes), np.array([2, 3]), constants=2)


def test_antialiasing_padding_and_other_axes() -> None:
    x = normal(2, 9, 12, 11)
    check(interpolation("linear", antialias=True), x, np.array([5, 4]), np.array([2, 3]), constants=2)
    check(interpolation("cubic", cube_coeff=-0.5), x, np.array([5, 3, 20]), np.array([1, 0, -1]), constants=2)
    pads = {"pads_begin": (0, 0, 1, 2), "pads_end": (0, 0, 0, 1)}
    check(interpolation("linear_onnx", **pads), x, np.array([9, 20]), np.array([2, 3]), constants=2)
    check(interpolation("nearest", **pads), x, np.array([9, 20]), np.array([2, 3]), constants=2)
    version_4: Any = InterpolateV4
    scales = version_4(mode="linear_onnx", shape_calculation_mode="scales")
    factors = np.array([1, 1, 1.5, 2.25], np.float32)
    check(scales, x, np.array([1, 1, 1, 1]), factors, constants=2, absent=1)


@merged()
@pytest.mark.parametrize("mode", ["nearest", "linear", "linear_onnx", "cubic", "area"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_the_first_version(mode: Any, align_corners: bool) -> None:
    pads = {"pads_begin": (0,), "pads_end": (0,)}
    op = InterpolateV1(axes=(2, 3), mode=mode, align_corners=align_corners, antialias=False, **pads)
    for sizes in SIZES:
        check(op, normal(2, 9, 6, 7), np.array(sizes), constants=1)


@merged()
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("channels", [1, 5, 24, 70])
def test_samples_by_a_grid(mode: Any, padding: Any, align_corners: bool, channels: int) -> None:
    op = GridSample(mode=mode, padding_mode=padding, align_corners=align_corners)
    grid = np.random.default_rng(1).uniform(-3, 3, (2, 5, 9, 2)).astype(np.float32)
    grid[0, 0] = np.array([-1, -0.5, 0, 0.5, 1, 1.5, -1.5, 9, 1e30], np.float32)[:, np.newaxis]
    grid[1, 0, :3] = [[np.nan, 0], [0, np.nan], [9, np.nan]]
    check(op, normal(2, channels, 6, 7), grid)


@merged()
@pytest.mark.parametrize("sizes", list(itertools.product((1, 3, 6), (2, 7))))
def test_adaptive_means(sizes: tuple[int, int]) -> None:
    check(AdaptiveAvgPool(), normal(2, 9, 6, 7), np.array(sizes), constants=1)
