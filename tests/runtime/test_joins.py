"""Results of kernels that are computed where a concatenation of channels wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.runtime.view import Call, Interpreted
from tests.nets import Net
from tests.optimize import quantized

Sizes = dict[str, tuple[int, ...]]


def convolution(net: Net, data: Handle, channels: tuple[int, int], sizes: str = "9,9", batch: str = "1") -> Handle:
    """A 1x1 convolution and a ReLU."""
    made = net.convolution(data, net.normal(*channels[::-1], 1, 1), f"{batch},{channels[1]},{sizes}")
    return net.layer("ReLU", [made], f"{batch},{channels[1]},{sizes}")


def concat(net: Net, inputs: list[Handle], channels: int, sizes: str = "9,9", batch: str = "1") -> Handle:
    return net.layer("Concat", inputs, f"{batch},{channels},{sizes}", axis=1)


def pooled(net: Net, data: Handle, shape: str, kernel: int = 3) -> Handle:
    around = f"{kernel // 2},{kernel // 2}"
    attributes = {"kernel": f"{kernel},{kernel}", "strides": "1,1", "pads_begin": around, "pads_end": around}
    return net.layer("MaxPool", [data], shape, **attributes, rounding_type="floor", auto_pad="explicit")


def copies(net: Net, folder: Path, *runs: Sizes) -> int:
    """The number of copies that the program makes; its outputs are those of the model as written."""
    net.save(folder / "net.xml")
    plain = irrun.model.build(folder / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    compiled = irrun.model.build(folder / "net.xml", {"TIER": "compiled"})
    for sizes in runs or ({},):
        for _ in range(2):
            inputs = net.inputs(sizes)
            for got, wanted in zip(compiled(inputs).to_tuple(), plain(inputs).to_tuple(), strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    programs = compiled.executor.prepare(compiled.plan)
    assert programs is not None
    (program,) = programs
    assert not any(isinstance(item, Interpreted) for item in program.items)
    return sum(isinstance(item, Call) and item.kernel.name == "move" for item in program.items)


@pytest.mark.parametrize("channels", [(5, 7, 3), (16, 32, 64), (1, 70, 2)])
def test_convolutions_write_into_the_result(tmp_path: Path, channels: tuple[int, ...]) -> None:
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,9,9"), (4, 8))
    parts = [convolution(net, convolution(net, data, (8, 8)), (8, count)) for count in channels]
    whole = concat(net, parts, sum(channels))
    net.result(convolution(net, whole, (sum(channels), 6)), net.layer("Sigmoid", [parts[1]], f"1,{channels[1]},9,9"))
    assert copies(net, tmp_path) == 1, "that of the input"


def test_sizes_of_the_run(tmp_path: Path) -> None:
    net = Net()
    data = convolution(net, net.parameter("x", "?,4,?,?"), (4, 8), "?,?", "?")
    parts = [convolution(net, convolution(net, data, (8, 8), "?,?", "?"), (8, 5), "?,?", "?") for _ in range(2)]
    net.result(convolution(net, concat(net, parts, 10, "?,?", "?"), (10, 6), "?,?", "?"))
    assert copies(net, tmp_path, {"x": (2, 4, 9, 7)}, {"x": (3, 4, 12, 5)}, {"x": (2, 4, 9, 7)}) == 1


def test_a_result_that_two_concatenations_read_is_copied_once(tmp_path: Path) -> None:
    net = Net()
    first = convolution(net, net.parameter("x", "1,4,9,9"), (4, 8))
    second = convolution(net, convolution(net, first, (8, 8)), (8, 5))
    third = convolution(net, second, (5, 6))
    one = concat(net, [second, first, second], 18)
    net.result(convolution(net, one, (18, 3)), concat(net, [third, second], 11))
    assert copies(net, tmp_path) == 1 + 2, "that of the input, and two of the second one"


def test_concatenations_in_concatenations(tmp_path: Path) -> None:
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,9,9"), (4, 8))
    first = convolution(net, data, (8, 5))
    inner = concat(net, [convolution(net, first, (5, 3)), pooled(net, data, "1,8,9,9")], 11)
    used = net.layer("Sigmoid", [inner], "1,11,9,9")
    outer = concat(net, [first, inner], 16)
    net.result(convolution(net, outer, (16, 6)), used)
    assert copies(net, tmp_path) == 1


def test_what_is_split_and_joined_again(tmp_path: Path) -> None:
    """The input of a Split whose outputs follow each other; those in another order are copied."""
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,9,9"), (4, 16))
    halves = net.layers("Split", [data, net.constant(np.array(1))], [(data.fact.type, "1,8,9,9")] * 2, num_splits=2)
    net.result(convolution(net, concat(net, [*halves, convolution(net, halves[1], (8, 8))], 24), (24, 6)))
    assert copies(net, tmp_path) == 1
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,9,9"), (4, 16))
    halves = net.layers("Split", [data, net.constant(np.array(1))], [(data.fact.type, "1,8,9,9")] * 2, num_splits=2)
    net.result(convolution(net, concat(net, halves[::-1], 16), (16, 6)))
    assert copies(net, tmp_path) == 1 + 2


def test_a_chain_that_grows(tmp_path: Path) -> None:
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,40,40"), (4, 8), "40,40")
    whole = concat(net, [data, convolution(net, data, (8, 9), "40,40")], 17, "40,40")
    for channels in (17, 27, 37):
        new = convolution(net, convolution(net, whole, (channels, 6), "40,40"), (6, 10), "40,40")
        whole = concat(net, [whole, new], channels + 10, "40,40")
    net.result(convolution(net, whole, (47, 6), "40,40"))
    assert copies(net, tmp_path) == 1


def test_upsampled_and_skipped(tmp_path: Path) -> None:
    net = Net()
    skip = convolution(net, net.parameter("x", "1,4,10,10"), (4, 8), "10,10")
    low = net.layer(
        "MaxPool",
        [skip],
        "1,8,5,5",
        kernel="2,2",
        strides="2,2",
        pads_begin="0,0",
        pads_end="0,0",
        rounding_type="floor",
        auto_pad="explicit",
    )
    deep = convolution(net, low, (8, 6), "5,5")
    size, axes = net.constant(np.array([10, 10])), net.constant(np.array([2, 3]))
    scales = net.constant(np.array([2, 2], np.float32))
    how: dict[str, Any] = {
        "mode": "nearest",
        "shape_calculation_mode": "sizes",
        "coordinate_transformation_mode": "asymmetric",
    }
    near = net.layer("Interpolate", [deep, size, scales, axes], "1,6,10,10", 4, **how, nearest_mode="floor")
    ones = {"strides": "2,2", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "auto_pad": "explicit"}
    grown = net.layer("ConvolutionBackpropData", [deep, net.normal(6, 5, 2, 2)], "1,5,10,10", **ones)
    net.result(convolution(net, concat(net, [grown, near, skip], 19, "10,10"), (19, 6), "10,10"))
    assert copies(net, tmp_path) == 1 + 1 + 1, "the input, the Interpolate, and what is upsampled by weights"


def test_other_axes_ranks_and_constants(tmp_path: Path) -> None:
    net = Net()
    data = convolution(net, net.parameter("x", "1,4,9,9"), (4, 8))
    parts = [data, convolution(net, data, (8, 8))]
    rows = net.layer("Concat", parts, "1,8,18,9", axis=2)
    fixed = concat(net, [net.normal(1, 3, 9, 9), convolution(net, parts[1], (8, 5))], 8)
    net.result(net.layer("ReLU", [rows], "1,8,18,9"), convolution(net, fixed, (8, 6)))
    assert copies(net, tmp_path) == 1 + 2 + 1, "that of the input, two rows of images, and the constant"


def test_levels_of_eight_bits(tmp_path: Path) -> None:
    net = Net()
    data = quantized.fake_quantize(net, net.parameter("x", "1,8,9,9"), "1,8,9,9", quantized.SIGNED)
    parts = []
    for count in (5, 6):
        made = quantized.convolution(net, data, quantized.filters(net, (count, 8, 1, 1)), f"1,{count},9,9")
        parts.append(quantized.fake_quantize(net, made, f"1,{count},9,9", quantized.SIGNED))
        data = quantized.fake_quantize(net, net.layer("Abs", [data], "1,8,9,9"), "1,8,9,9", quantized.SIGNED)
    whole = concat(net, parts, 11)
    net.result(quantized.convolution(net, whole, quantized.filters(net, (4, 11, 1, 1)), "1,4,9,9"))
    assert copies(net, tmp_path) == 2, "both images of bytes, which products read in order"
