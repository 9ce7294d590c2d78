"""Products of quantised activations and weights of 8 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.tensor.element_type import F16, F32, I8, I64, U8
from tests.engines import TIERS
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check, types
from tests.optimize.quantized import (
    RANGES,
    SHIFTED,
    SIGNED,
    UNSIGNED,
    Range,
    convolution,
    fake_quantize,
    filters,
    text,
)

ONLY = ["compute-in-integers"]


@merged()
@pytest.mark.parametrize("range", RANGES)
@pytest.mark.parametrize("size", [1, 3])
def test_a_convolution_of_levels(tmp_path: Path, range: Range, size: int) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "2,19,9,10"), "2,19,9,10", range)
    pads = [size // 2] * 2
    net.result(convolution(net, data, filters(net, (21, 19, size, size)), "2,21,9,10", begins=pads, ends=pads))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1})


def test_the_layers_after_it_join_in(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    data = convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,6,6")
    data = net.layer("Multiply", [data, net.normal(1, 16, 1, 1)], "1,16,6,6")
    data = net.layer("Add", [data, net.normal(1, 16, 1, 1)], "1,16,6,6")
    data = net.layer("Add", [data, net.parameter("y", "1,16,6,6")], "1,16,6,6")
    net.result(net.layer("ReLU", [data], "1,16,6,6"))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1})


@merged()
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rows", ["1,7,33", "33", "5,33", "2,3,4,33"])
def test_a_product_of_matrices(tmp_path: Path, transposed: bool, rows: str) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", rows), rows, SIGNED)
    shape = (20, 33) if transposed else (33, 20)
    scale = net.random.uniform(0.002, 0.02, (20, 1) if transposed else (1, 20))
    made = rows[:-2] + "20"
    data = net.layer(
        "MatMul",
        [data, filters(net, shape, scale=scale)],
        made,
        transpose_a=False,
        transpose_b=transposed,
    )
    net.result(net.layer("Add", [data, net.normal(20)], made))
    kept = {"FakeQuantize": 1, "MatMul": 1, "Add": 1}
    check(net, tmp_path, ONLY, kept if rows == "33" else {"FusedQuantize": 1, "FusedIntegerMatMul": 1})


def test_a_transposed_summand(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,7,33"), "1,7,33")
    data = net.layer("MatMul", [data, filters(net, (33, 20), scale=net.random.uniform(0.01, 0.02, (1, 20)))], "1,7,20")
    order = net.constant(np.array([0, 2, 1]), I64)
    other = net.layer("Transpose", [net.parameter("y", "1,20,7"), order], "1,7,20")
    net.result(net.layer("Add", [data, other], "1,7,20"))
    made = check(net, tmp_path, ONLY, {"Transpose": 1, "FusedQuantize": 1, "FusedIntegerMatMul": 1})
    assert made is not None


def test_levels_are_split_and_joined(tmp_path: Path) -> None:
    """A part of them is convolved; all of them and their sum, in the same range, are concatenated."""
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,16,6,6"), "1,16,6,6", SIGNED)
    axis, sizes = (net.constant(np.array(each), I64) for each in (1, [10, 6]))
    one, other = net.layers("VariadicSplit", [data, axis, sizes], [(F32, "1,10,6,6"), (F32, "1,6,6,6")])
    made = convolution(net, other, filters(net, (10, 6, 3, 3)), "1,10,6,6", begins=(1, 1), ends=(1, 1))
    summed = fake_quantize(net, net.layer("Add", [one, made], "1,10,6,6"), "1,10,6,6", SIGNED)
    joined = net.layer("Concat", [one, other, summed], "1,26,6,6", axis=1)
    net.result(convolution(net, joined, filters(net, (8, 26, 1, 1)), "1,8,6,6"))
    check(
        net,
        tmp_path,
        ONLY,
        {"VariadicSplit": 1, "Concat": 1, "FusedQuantize": 1, "FusedIntegerConvolution": 2},
        atol=0.05,
    )


def test_groups(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,15,7,7"), "1,15,7,7", SHIFTED)
    weights = filters(net, (3, 7, 5, 3, 3), scale=net.random.uniform(0.002, 0.02, (3, 7, 1, 1, 1)))
    pads = (1, 1)
    net.result(convolution(net, data, weights, "1,21,7,7", begins=pads, ends=pads, groups=True))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1})


@merged()
@pytest.mark.parametrize("low", [0.0, -128 / 127], ids=["from zero", "signed"])
@pytest.mark.parametrize("function", ["Clamp", "ReLU", "Tanh", None])
@pytest.mark.parametrize("channels", [12, 150])
def test_a_range_for_each_channel(tmp_path: Path, low: float, function: str | None, channels: int) -> None:
    """Ranges become factors of the convolutions before and after, if no other function but a wider clamp is between."""
    net = Net()
    shape = f"1,{channels},7,7"
    data = fake_quantize(net, net.parameter("x", "1,8,7,7"), "1,8,7,7")
    data = convolution(net, data, filters(net, (channels, 8, 1, 1)), shape)
    if function is not None:
        limits = {"min": 0.0, "max": 6.0} if function == "Clamp" else {}
        data = net.layer(function, [data], shape, **limits)
    high = net.random.uniform(0.5, 5, (1, channels, 1, 1)).astype(np.float32)
    limits = [net.constant(each) for each in (high * np.float32(low), high) * 2]
    data = net.layer("FakeQuantize", [data, *limits], shape, levels=256)
    weights = filters(net, (channels, 1, 1, 3, 3))
    net.result(convolution(net, data, weights, shape, begins=(1, 1), ends=(1, 1), groups=True))
    expected = {"FusedQuantize": 1, "FusedIntegerConvolution": 2}
    if low < 0 and function in ("Clamp", "ReLU"):
        expected |= {"FusedQuantize": 2, "Divide": 1}
    check(net, tmp_path, ONLY, expected, atol=0.1)


def test_ranges_of_channels_that_are_not_multiples(tmp_path: Path) -> None:
    net = Net()
    shape = "1,4,7,7"
    low, high = (net.constant(np.reshape(each, (1, 4, 1, 1))) for each in ([-1.0, -2, -1, -1], [1.0, 1, 1, 3]))
    data = net.layer("FakeQuantize", [net.parameter("x", shape), low, high, low, high], shape, levels=256)
    net.result(convolution(net, data, filters(net, (4, 1, 1, 3, 3)), "1,4,5,5", groups=True))
    check(net, tmp_path, ONLY, {"FakeQuantize": 1, "GroupConvolution": 1})


def test_weights_without_sign(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    net.result(convolution(net, data, filters(net, (16, 8, 1, 1), U8, zero=128), "1,16,6,6"))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1})


@pytest.mark.parametrize(("levels", "below", "above"), [(255, 1.0, 1.0), (256, 128 / 127, 1.0), (255, 1.3, 1.3)])
def test_weights_that_a_layer_rounds(tmp_path: Path, levels: int, below: float, above: float) -> None:
    """Steps are found if the largest weight is at a limit."""
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    values = net.random.standard_normal((16, 8, 3, 3)).astype(np.float32)
    most = np.abs(values).max((1, 2, 3), keepdims=True)
    low, high = net.constant(-most * below), net.constant(most * above)
    weights = net.layer("FakeQuantize", [net.constant(values), low, high, low, high], "16,8,3,3", levels=levels)
    net.result(convolution(net, data, weights, "1,16,4,4"))
    if above == 1:
        check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1}, atol=1e-4)
    else:
        check(net, tmp_path, ONLY, {"FakeQuantize": 1, "Convolution": 1})


def test_saturated_sums(tmp_path: Path) -> None:
    """Products of pairs exceed 16 bits, and sums 24 bits."""
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,1000,2,2"), "1,1000,2,2", UNSIGNED)
    weights = filters(net, (5, 1000, 1, 1), values=np.array([-128, 127, 127, -127, 1]).reshape(5, 1, 1, 1))
    net.result(convolution(net, data, weights, "1,5,2,2"))
    net.save(tmp_path / "net.xml")
    inputs = {"x": np.full((1, 1000, 2, 2), 100, np.float32)}
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})(inputs).to_tuple()[0]
    for tier in TIERS:
        found = irrun.model.build(tmp_path / "net.xml", {"TIER": tier})
        assert types(found)["FusedIntegerConvolution"] == 1
        np.testing.assert_allclose(found(inputs).to_tuple()[0], plain, rtol=1e-5)


def test_bytes_between_two_convolutions(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,9,9"), "1,8,9,9", SIGNED)
    data = convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,9,9")
    data = net.layer("ReLU", [data], "1,16,9,9")
    data = fake_quantize(net, data, "1,16,9,9", UNSIGNED)
    net.result(convolution(net, data, filters(net, (8, 16, 3, 3)), "1,8,7,7"))
    assert types(net.compile(tmp_path, *ONLY)) == {"FusedQuantize": 1, "FusedIntegerConvolution": 2}
    agree(net, tmp_path, 0.02 * 127 * 2.5 / 255)


@merged()
@pytest.mark.parametrize("kind", ["product", "depthwise"])
@pytest.mark.parametrize("activation", ["HSwish", "Sigmoid"])
@pytest.mark.parametrize("is_read", [False, True])
def test_levels_of_an_activation(tmp_path: Path, kind: str, activation: str, is_read: bool) -> None:
    net = Net()
    shape = "1,90,9,9"
    data = fake_quantize(net, net.parameter("x", shape), shape, SIGNED)
    stem = filters(net, (90, 1, 1, 1, 1) if kind == "depthwise" else (90, 90, 1, 1))
    data = convolution(net, data, stem, shape, groups=kind == "depthwise")
    numbers = net.layer(activation, [data], shape, 4 if activation == "HSwish" else 1)
    data = fake_quantize(net, numbers, shape, (-0.5, 1.5, 255))
    net.result(convolution(net, data, filters(net, (8, 90, 1, 1)), "1,8,9,9"), *([numbers] if is_read else []))
    assert types(net.compile(tmp_path, *ONLY)) == {"FusedQuantize": 1, "FusedIntegerConvolution": 2}
    agree(net, tmp_path, 0.02 * 127 * 4 / 255)


def test_two_quantisations_of_one_tensor_and_a_residual(tmp_path: Path) -> None:
    """Equal ones are computed once; the residual reads the numbers."""
    net = Net()
    shape = "1,16,6,6"
    data = fake_quantize(net, net.parameter("x", shape), shape, SIGNED)
    stem = net.layer("ReLU", [convolution(net, data, filters(net, (16, 16, 1, 1)), shape)], shape)
    one = convolution(net, fake_quantize(net, stem, shape), filters(net, (16, 16, 1, 1)), shape)
    other = convolution(net, fake_quantize(net, stem, shape), filters(net, (16, 16, 1, 1)), shape)
    net.result(net.layer("Add", [one, stem], shape), other)
    compiled = net.compile(tmp_path, *ONLY)
    assert types(compiled) == {"FusedQuantize": 1, "FusedIntegerConvolution": 3}
    agree(net, tmp_path, 0.02 * 127 * 2.5 / 255)


def test_a_residual_of_levels(tmp_path: Path) -> None:
    net = Net()
    shape = "1,16,6,6"
    data = fake_quantize(net, net.parameter("x", shape), shape, SHIFTED)
    made = convolution(net, data, filters(net, (16, 16, 1, 1)), shape)
    net.result(net.layer("Add", [made, data], shape))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1})


@pytest.mark.parametrize("kind", ["product", "depthwise"])
def test_a_sum_of_quantised_numbers(tmp_path: Path, kind: str) -> None:
    """The product is rounded before the residual is added, and the sum is rounded again."""
    net = Net()
    shape = "1,16,6,6"
    data = fake_quantize(net, net.parameter("x", shape), shape, SHIFTED)
    weights = filters(net, (16, 1, 1, 1, 1) if kind == "depthwise" else (16, 16, 1, 1))
    made = convolution(net, data, weights, shape, groups=kind == "depthwise")
    made = fake_quantize(net, net.layer("Add", [made, net.normal(1, 16, 1, 1)], shape), shape, SIGNED)
    total = net.layer("ReLU", [net.layer("Add", [data, made], shape)], shape)
    net.result(convolution(net, fake_quantize(net, total, shape), filters(net, (8, 16, 1, 1)), "1,8,6,6"))
    assert types(net.compile(tmp_path, *ONLY)) == {"FusedQuantize": 1, "FusedIntegerConvolution": 2}
    agree(net, tmp_path, 0.02 * 127 * 2.5 / 255)


@pytest.mark.parametrize("order", ["concat first", "levels first"])
@pytest.mark.parametrize("channels", [6, 8])
def test_concatenated_levels(tmp_path: Path, order: str, channels: int) -> None:
    net = Net()
    shape, whole = text(1, channels, 6, 7), text(1, 2 * channels, 6, 7)
    data = fake_quantize(net, net.parameter("x", "1,4,6,7"), "1,4,6,7")
    parts = [convolution(net, data, filters(net, (channels, 4, 1, 1)), shape) for _ in range(2)]
    if order == "concat first":
        data = fake_quantize(net, net.layer("Concat", parts, whole, axis=1), whole, SIGNED)
    else:
        data = net.layer("Concat", [fake_quantize(net, part, shape, SIGNED) for part in parts], whole, axis=1)
    net.result(convolution(net, data, filters(net, (8, 2 * channels, 3, 3)), "1,8,4,5"))
    found = types(net.compile(tmp_path, *ONLY))
    assert found == {"FusedQuantize": 1, "FusedIntegerConvolution": 3, "Concat": 1}
    agree(net, tmp_path, 0.02 * 127 * 4 / 255)


def test_concatenated_levels_of_different_ranges_are_numbers(tmp_path: Path) -> None:
    net = Net()
    ranges = {"x": SIGNED, "y": UNSIGNED}
    parts = [fake_quantize(net, net.parameter(name, "1,8,6,6"), "1,8,6,6", kind) for name, kind in ranges.items()]
    data = net.layer("Concat", parts, "1,16,6,6", axis=1)
    net.result(convolution(net, data, filters(net, (8, 16, 1, 1)), "1,8,6,6"))
    check(net, tmp_path, ONLY, {"FakeQuantize": 2, "Concat": 1, "Convolution": 1})


def test_views_of_levels(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "2,24,6"), "2,24,6", SHIFTED)
    data = net.layer("Transpose", [data, net.constant(np.array([0, 2, 1]))], "2,6,24")
    data = net.layer("Reshape", [data, net.constant(np.array([12, 24]))], "12,24", special_zero=False)
    weights = filters(net, (20, 24), scale=net.random.uniform(0.002, 0.02, (20, 1)))
    net.result(net.layer("MatMul", [data, weights], "12,20", transpose_a=False, transpose_b=True))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "Transpose": 1, "Reshape": 1, "FusedIntegerMatMul": 1})


@pytest.mark.parametrize("order", ["pool first", "levels first"])
@pytest.mark.parametrize("channels", [3, 70])
def test_the_largest_levels(tmp_path: Path, order: str, channels: int) -> None:
    net = Net()
    shape, pooled = text(1, channels, 9, 11), text(1, channels, 5, 6)
    stem = filters(net, (channels, 4, 1, 1))
    data = convolution(net, fake_quantize(net, net.parameter("x", "1,4,9,11"), "1,4,9,11"), stem, shape)
    window = {"kernel": "3,3", "strides": "2,2", "pads_begin": "1,1", "pads_end": "1,1", "rounding_type": "floor"}

    def pool(data: Handle) -> Handle:
        return net.layer("MaxPool", [data], pooled, auto_pad="explicit", **window)

    if order == "pool first":
        data = fake_quantize(net, pool(data), pooled, SIGNED)
    else:
        data = pool(fake_quantize(net, data, shape, SIGNED))
    net.result(convolution(net, data, filters(net, (8, channels, 1, 1)), "1,8,5,6"))
    found = types(net.compile(tmp_path, *ONLY, "pool-values-only"))
    assert found == {"FusedQuantize": 1, "FusedIntegerConvolution": 2, "FusedMaxPool": 1}
    agree(net, tmp_path, 0.02 * 127 * 4 / 255)


def agree(net: Net, folder: Path, most: float) -> None:
    """Check that results differ only where numbers fell between two levels, and then by no more than this."""
    plain = irrun.model.build(folder / "net.xml", {"OPTIMIZE": False})
    for tier in TIERS:
        found = irrun.model.build(folder / "net.xml", {"TIER": tier})
        inputs = net.inputs()
        for got, wanted in zip(found(inputs).to_tuple(), plain(inputs).to_tuple(), strict=True):
            gap = np.abs(got - wanted)
            assert gap.max() <= most
            assert np.mean(gap > 1e-4) < 0.02


def kept(net: Net, folder: Path) -> None:
    """Check that the pass leaves a convolution as it is."""
    check(net, folder, ONLY, {"FakeQuantize": 1, "Convolution": 1})


@pytest.mark.parametrize(
    ("range", "pads", "scale"),
    [
        ((0.0, 2.5, 300), (0, 0), (16, 1, 1, 1)),
        ((0.1, 2.5, 256), (1, 1), (16, 1, 1, 1)),
        ((-0.0147, 2.5, 256), (1, 1), (16, 1, 1, 1)),
        (UNSIGNED, (0, 0), (1, 8, 1, 1)),
    ],
    ids=["levels", "above zero", "zero between levels", "scale by input"],
)
def test_what_is_not_integer_stays(tmp_path: Path, range: Range, pads: tuple[int, int], scale: tuple[int, ...]) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6", range)
    weights = filters(net, (16, 8, 3, 3), scale=net.random.uniform(0.002, 0.02, scale))
    size = 4 + 2 * pads[0]
    net.result(convolution(net, data, weights, text(1, 16, size, size), begins=pads, ends=pads))
    kept(net, tmp_path)


def test_limits_of_channels_stay(tmp_path: Path) -> None:
    net = Net()
    low, high = net.constant(np.zeros((1, 8, 1, 1))), net.constant(net.random.uniform(1, 2, (1, 8, 1, 1)))
    data = net.layer("FakeQuantize", [net.parameter("x", "1,8,6,6"), low, high, low, high], "1,8,6,6", levels=256)
    net.result(convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,6,6"))
    kept(net, tmp_path)


def test_sums_that_may_overflow_stay(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,67000,1,1"), "1,67000,1,1")
    net.result(convolution(net, data, filters(net, (2, 67000, 1, 1), values=np.array(127)), "1,2,1,1"))
    kept(net, tmp_path)


def test_weights_beyond_eight_bits_with_sign_stay(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    net.result(
        convolution(
            net, data, filters(net, (16, 8, 1, 1), U8, values=np.array([[[[3]]], [[[250]]]] * 8), zero=5), "1,16,6,6"
        )
    )
    kept(net, tmp_path)


def test_other_weights_stay(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    net.result(convolution(net, data, net.normal(16, 8, 1, 1), "1,16,6,6"))
    kept(net, tmp_path)


def test_unknown_sizes(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "?,8,?,?"), "?,8,?,?")
    net.result(convolution(net, data, filters(net, (16, 8, 3, 3), I8), "?,16,?,?"))
    check(net, tmp_path, ONLY, {"FusedQuantize": 1, "FusedIntegerConvolution": 1}, sizes={"x": (2, 8, 7, 5)})


@pytest.mark.parametrize("limits", [(1.0, 1.0), (0.0, np.inf), (2.0, -2.0)])
def test_ranges_that_are_none_stay(tmp_path: Path, limits: tuple[float, float]) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6", (*limits, 256))
    net.result(convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,6,6"))
    assert types(net.compile(tmp_path, *ONLY)) == {"FakeQuantize": 1, "Convolution": 1}


def test_halves_and_limits_of_channels_stay(tmp_path: Path) -> None:
    net = Net()
    data = net.layers("Convert", [net.parameter("x", "1,8,6,6")], [(F16, "1,8,6,6")], destination_type=F16)[0]
    limits = [net.constant(np.float32(value), F16) for value in (-1, 1, -1, 1)]
    data = net.layers("FakeQuantize", [data, *limits], [(F16, "1,8,6,6")], levels=256)[0]
    data = net.layer("Convert", [data], "1,8,6,6", destination_type=F32)
    net.result(convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,6,6"))
    sides = [net.normal(1, 8, 1, 1) for _ in range(4)]
    data = net.layer("FakeQuantize", [net.parameter("y", "1,8,6,6"), *sides], "1,8,6,6", levels=256)
    net.result(convolution(net, data, filters(net, (16, 8, 1, 1)), "1,16,6,6"))
    assert types(net.compile(tmp_path, *ONLY)) == {"Convert": 2, "FakeQuantize": 2, "Convolution": 2}


@pytest.mark.parametrize("zero", [0.5, 300.0])
def test_zero_points_that_are_no_bytes(tmp_path: Path, zero: float) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    codes = net.constant(net.random.integers(0, 256, (16, 8, 1, 1)).astype(np.uint8), U8)
    weights = net.layers("Convert", [codes], [(F32, "16,8,1,1")], destination_type=F32)[0]
    weights = net.layer("Subtract", [weights, net.constant(np.float32(zero))], "16,8,1,1")
    weights = net.layer("Multiply", [weights, net.constant(np.full((16, 1, 1, 1), 0.01))], "16,8,1,1")
    net.result(convolution(net, data, weights, "1,16,6,6"))
    assert types(net.compile(tmp_path, *ONLY)).keys() == {"FakeQuantize", "Convolution"}


def test_sums_that_are_bounded_by_the_weights(tmp_path: Path) -> None:
    """By the number of weights alone, sums of 70,000 products would not fit 32 bits."""
    for most, kept in ((1, False), (127, True)):
        net = Net()
        data = fake_quantize(net, net.parameter("x", "2,70000"), "2,70000")
        weights = filters(net, (2, 70000), values=np.full(1, most, np.int8))
        net.result(net.layer("MatMul", [data, weights], "2,2", transpose_b=True))
        made = types(net.compile(tmp_path, *ONLY))
        assert made == ({"FakeQuantize": 1, "MatMul": 1} if kept else {"FusedQuantize": 1, "FusedIntegerMatMul": 1})


def test_ranges_of_no_channels(tmp_path: Path) -> None:
    net = Net()
    low, high = net.zeros(1, 0, 1, 1), net.constant(np.ones((1, 0, 1, 1), np.float32))
    ranges = [net.parameter("x", "1,0,2,2"), low, high, low, high]
    net.result(net.layer("FakeQuantize", ranges, levels=256, auto_broadcast="numpy"))
    check(net, tmp_path, ONLY, {"FakeQuantize": 1})


def test_weights_of_no_filters(tmp_path: Path) -> None:
    net = Net()
    data = fake_quantize(net, net.parameter("x", "1,8,6,6"), "1,8,6,6")
    net.result(convolution(net, data, filters(net, (0, 8, 1, 1), U8, zero=128), "1,0,6,6"))
    check(net, tmp_path, ONLY, {"FakeQuantize": 1, "Convolution": 1})
