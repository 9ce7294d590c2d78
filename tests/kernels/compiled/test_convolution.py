"""Convolutions and pooling against their definitions, in sizes that are not multiples of anything."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from irrun.kernels.casting import bf16_bits, rounded
from irrun.kernels.elementwise import Elementwise
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.fused_functions import FusedMaxPool
from irrun.runtime.instance import Instance
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.lowering.convolutions import Part, lower_convolution, parts_of
from irrun.runtime.lowering.products import Operands
from irrun.runtime.packing import packed
from irrun.runtime.packs import Packs
from irrun.runtime.program import assembled
from irrun.runtime.request import Refused, Request
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BF16, F32, U8
from irrun_kernels.pixels import ImageWindows
from tests.kernels.compiled.lowered import placed, run
from tests.kernels.merged import merged
from tests.kernels.test_convolution import GEOMETRIES, channels_last, fused, multiplied_out

MORE = {
    "one pixel, one channel": ((1, 1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
    "few channels": ((5, 7, 1), (11, 13), (3, 2), (2, 3), (1, 1), (0, 2), (1, 1)),
    "few channels, dilated": ((5, 7, 1), (11, 13), (3, 2), (1, 1), (1, 2), (0, 2), (1, 1)),
    "depthwise, 1 channel": ((1, 1, 1), (5, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "depthwise, 17 channels": ((17, 17, 17), (9, 31), (5, 5), (1, 1), (1, 1), (2, 2), (2, 2)),
    "depthwise, 100 channels": ((100, 100, 100), (7, 7), (3, 3), (2, 1), (1, 1), (1, 1), (1, 1)),
    "depthwise, windows beyond the image": ((33, 33, 33), (2, 3), (5, 5), (1, 1), (2, 2), (4, 5), (6, 4)),
    "only the middle tap within the image": ((20, 7, 1), (6, 5), (3, 3), (1, 1), (9, 6), (9, 6), (9, 6)),
    "taps before the image": ((20, 7, 1), (6, 5), (5, 3), (2, 1), (4, 4), (16, 8), (0, 0)),
    "taps after the image": ((20, 7, 1), (6, 5), (3, 4), (1, 2), (5, 3), (1, 0), (9, 9)),
    "grouped, some taps beyond the image": ((6, 9, 3), (4, 5), (3, 3), (1, 1), (4, 5), (4, 5), (4, 5)),
    "depthwise, some taps beyond the image": ((17, 17, 17), (4, 5), (3, 3), (1, 1), (4, 6), (4, 6), (4, 6)),
    "grouped, dilated": ((12, 134, 2), (14, 15), (3, 3), (1, 1), (5, 4), (5, 4), (5, 4)),
    "many channels, dilated": ((300, 100, 1), (9, 9), (3, 3), (1, 1), (4, 4), (4, 4), (4, 4)),
    "dilated, by tiles": ((32, 33, 1), (26, 25), (3, 3), (1, 1), (2, 1), (2, 1), (1, 1)),
    "grouped, odd": ((15, 21, 3), (6, 5), (1, 2), (1, 1), (1, 1), (0, 1), (0, 0)),
}
ACTIVATIONS = {
    "none": (None, lambda x: x),
    "clamp": (Elementwise("clamp", (-0.5, 1.0), np.clip), lambda x: np.clip(x, -0.5, 1)),
    "swish": (Elementwise("swish", (), np.exp), lambda x: x / (1 + np.exp(-x))),
    "prelu": (Elementwise("prelu", (0.1,), np.exp), lambda x: np.where(x < 0, 0.1 * x, x)),
}


def test_taps_that_meet_only_padding_are_left_out() -> None:
    windows = ImageWindows((1, 3, 1), (1, 1, 1), (1, 12, 1), (0, 12, 0))
    image = np.zeros((1, 8, 14, 1), np.float32)
    parts = parts_of(windows, image.shape[2:], (14, 1))
    assert [(part.results[0], part.taps[0]) for part in parts] == [
        (slice(0, 2), slice(1, 3)),
        (slice(2, 12), slice(1, 2)),
        (slice(12, 14), slice(0, 2)),
    ]
    given = [part.of(Operands(image, [], geometry=windows)) for part in parts]
    begins = [(each.geometry.begins[1], each.x.shape[2]) for each in given]
    assert begins == [(0, 14), (0, 12), (0, 14)]
    near = windows._replace(dilations=(1, 2, 1), begins=(0, 2, 0))
    assert parts_of(near, image.shape[2:], (14, 1)) == [Part((slice(0, 14), slice(0, 1)), (slice(0, 3), slice(0, 1)))]


@merged("batch")
@pytest.mark.parametrize("name", [*GEOMETRIES, *MORE])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_convolution_with_bias_summand_and_activation(name: str, batch: int, activation: str) -> None:
    (channels, filters, groups), size, kernel, strides, dilations, begins, ends = {**GEOMETRIES, **MORE}[name]
    draw = np.random.default_rng(7)
    x = draw.standard_normal((batch, channels, *size), dtype=np.float32)
    weights = draw.standard_normal((groups, filters // groups, channels // groups, *kernel), dtype=np.float32)
    bias = draw.standard_normal((1, filters, 1, 1), dtype=np.float32)
    exact = multiplied_out(x, weights, strides, dilations, begins, ends) + bias
    summand = draw.standard_normal(exact.shape, dtype=np.float32)
    tolerance = 6e-5 * np.sqrt(channels // groups * kernel[0] * kernel[1])
    function, apply = ACTIVATIONS[activation]
    op = fused(weights, exact.shape, Windows(strides, dilations, begins, ends), bias, function)
    for data in (x, channels_last(x)):
        for inputs, expected in (((data,), exact), ((data, channels_last(summand)), exact + summand)):
            result = run(op, *inputs)
            assert result is not None
            np.testing.assert_allclose(result, apply(expected), atol=tolerance, rtol=0)


def by_one(begins: tuple[int, int], ends: tuple[int, int]) -> Windows:
    """Windows with these pads, one pixel apart."""
    return Windows((1, 1), (1, 1), begins, ends)


def test_tiles_in_several_groups() -> None:
    draw = np.random.default_rng(7)
    x, weights = draw.standard_normal((1, 64, 70, 66), np.float32), draw.standard_normal((1, 48, 64, 3, 3), np.float32)
    exact = multiplied_out(x, weights, (1, 1), (1, 1), (1, 1), (1, 1))
    result = run(fused(weights, exact.shape, by_one((1, 1), (1, 1))), channels_last(x))
    assert result is not None
    np.testing.assert_allclose(result, exact, atol=2e-3, rtol=0)


@merged()
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_tiles_that_are_not_finite_are_left_to_numpy(value: float) -> None:
    draw = np.random.default_rng(7)
    weights = draw.standard_normal((1, 32, 32, 3, 3), np.float32)
    op, builder = fused(weights, (1, 32, 24, 24), by_one((0, 0), (0, 0))), Builder()
    x = channels_last(draw.standard_normal((1, 32, 26, 26), np.float32))
    given = placed(builder, x)
    with packed(Packs()):
        program = assembled(builder, [given], lower_convolution(op, builder, given))
    instance = Instance(program, 1)
    assert instance.run(Request([x]), 1)
    for y, column in ((0, 0), (0, 25), (25, 0), (25, 25), (12, 25), (25, 12), (12, 12), (13, 13), (14, 14), (15, 15)):
        broken = x.copy(order="K")
        broken[0, 5, y, column] = value
        with pytest.raises(Refused):
            instance.run(Request([broken]), 1)


@merged()
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_filters_that_are_not_finite_have_no_kernel_channel_by_channel(value: float) -> None:
    weights = np.ones((20, 1, 1, 3, 3), np.float32)
    weights[7, 0, 0, 0, 1] = value
    op = fused(weights, (1, 20, 6, 6), by_one((1, 1), (1, 1)))
    with pytest.raises(Unsupported, match="weights that are not finite, of which padding leaves out some"):
        run(op, np.ones((1, 20, 6, 6), np.float32))


@merged()
@pytest.mark.parametrize(("begins", "ends"), [((-1, 0), (0, 0)), ((0, 0), (0, -1)), ((1, 1), (-2, 1))])
@pytest.mark.parametrize("channels", [3, 20])
def test_images_that_are_cropped_have_no_kernel(channels: int, begins: tuple[int, int], ends: tuple[int, int]) -> None:
    counts = [8 + begin + end - 2 for begin, end in zip(begins, ends, strict=True)]
    op = fused(np.ones((1, 7, channels, 3, 3), np.float32), (1, 7, *counts), by_one(begins, ends))
    with pytest.raises(Unsupported, match="negative pads, or images without windows"):
        run(op, np.ones((1, channels, 8, 8), np.float32))


def test_parts_of_a_dilated_convolution_share_weights_along_the_first_axis() -> None:
    weights = np.ones((1, 64, 32, 3, 3), np.float32)
    op = fused(weights, (1, 64, 14, 14), Windows((1, 1), (5, 5), (5, 5), (5, 5)))
    builder = Builder()
    assert lower_convolution(op, builder, builder.empty((1, 32, 14, 14))) is not None
    assert sorted(packed.size for packed in builder.packs.values()) == [64 * 32 * 3 * taps for taps in (2, 2, 3)]


@merged()
@pytest.mark.parametrize("channels", [1, 17, 64, 100])
@pytest.mark.parametrize(("kernel", "strides", "pad"), [((2, 2), (2, 2), 0), ((3, 3), (2, 1), 1), ((7, 9), (1, 1), 0)])
def test_max_pool(channels: int, kernel: tuple[int, int], strides: tuple[int, int], pad: int) -> None:
    x: Array = np.random.default_rng(0).standard_normal((2, channels, 7, 9), np.float32)
    x[0, 0, 3, 3] = np.nan
    pads = (pad, pad)
    padded = np.pad(np.where(np.isnan(x), -np.inf, x), ((0, 0), (0, 0), pads, pads), constant_values=-np.inf)
    windows = sliding_window_view(padded, kernel, (2, 3))[:, :, :: strides[0], :: strides[1]]
    fact = Fact(F32, Shape(windows.shape[:4]))
    result = run(FusedMaxPool(fact=fact, kernel=kernel, windows=Windows(strides, (1, 1), pads, pads)), x)
    assert result is not None
    np.testing.assert_array_equal(result, windows.max((4, 5)))


@merged()
@pytest.mark.parametrize("channels", [1, 17, 64, 100])
def test_max_pool_of_bytes(channels: int) -> None:
    x = channels_last(np.random.default_rng(0).integers(0, 256, (2, channels, 7, 9), np.uint8))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2]
    op = FusedMaxPool(
        fact=Fact(U8, Shape(windows.shape[:4])), kernel=(3, 3), windows=Windows((2, 1), (1, 1), (1, 1), (1, 1))
    )
    np.testing.assert_array_equal(run(op, x), windows.max((4, 5)))


@merged()
@pytest.mark.parametrize("name", [name for name in (*GEOMETRIES, *MORE) if name.startswith("depthwise")])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_depthwise_convolution_of_bf16(name: str, activation: str) -> None:
    (channels, filters, groups), size, kernel, strides, dilations, begins, ends = {**GEOMETRIES, **MORE}[name]
    draw = np.random.default_rng(7)
    x = draw.standard_normal((2, channels, *size), dtype=np.float32)
    weights = draw.standard_normal((groups, filters // groups, channels // groups, *kernel), dtype=np.float32)
    bias = draw.standard_normal((1, filters, 1, 1), dtype=np.float32)
    near, by = rounded(x, "bf16"), rounded(weights, "bf16")
    exact = multiplied_out(near, by, strides, dilations, begins, ends) + bias
    function, apply = ACTIVATIONS[activation]
    plain = fused(weights, exact.shape, Windows(strides, dilations, begins, ends), bias, function)
    op = plain.in_precision(BF16)
    for data in (near, bf16_bits(channels_last(x))) if op.takes_bf16 else (near,):
        floats = run(op, data)
        both = run(op.with_bf16(floats=True), data)
        alone = run(op.with_bf16(floats=False), data)
        assert floats is not None
        assert both is not None
        assert alone is not None
        np.testing.assert_allclose(floats, apply(exact), atol=6e-5 * np.sqrt(kernel[0] * kernel[1]), rtol=0)
        np.testing.assert_array_equal(both[0], floats)
        np.testing.assert_array_equal(both[1], bf16_bits(floats))
        np.testing.assert_array_equal(alone, bf16_bits(floats))
        if function is None:
            numpy = op.run(data)
            np.testing.assert_allclose(numpy, floats, atol=2e-6 * kernel[0] * kernel[1], rtol=1e-5)
