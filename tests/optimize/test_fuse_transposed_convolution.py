"""Transposed convolutions fused with the layers behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.tensor.element_type import I32
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-transposed-convolution"]

WINDOWS = {
    "side by side": ("1,5,12,14", {"strides": "2,2"}, (2, 2)),
    "overlapping": ("1,5,13,15", {"strides": "2,2"}, (3, 3)),
    "padded": ("1,5,11,13", {"strides": "2,2", "pads_begin": "1,0", "pads_end": "1,2"}, (3, 3)),
    "padded beyond the first element": ("1,5,9,15", {"strides": "2,2", "pads_begin": "3,0", "pads_end": "1,0"}, (3, 3)),
    "dilated": ("1,5,10,13", {"dilations": "2,3"}, (3, 3)),
    "with gaps": ("1,5,17,20", {"strides": "3,3"}, (2, 2)),
    "longer": ("1,5,14,15", {"strides": "2,2", "output_padding": "1,0"}, (3, 3)),
}
PLAIN = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}


@merged()
@pytest.mark.parametrize("name", WINDOWS)
def test_bias_and_activation(tmp_path: Path, name: str) -> None:
    shape, attributes, kernel = WINDOWS[name]
    net = Net()
    inputs = [net.parameter("x", "1,4,6,7"), net.normal(4, 5, *kernel)]
    result = net.layer("ConvolutionBackpropData", inputs, shape, **(PLAIN | attributes))
    added = net.layer("Add", [result, net.normal(1, 5, 1, 1)], shape)
    net.result(net.layer("ReLU", [added], shape))
    check(net, tmp_path, ONLY, {"FusedTransposedConvolution": 1})


@pytest.mark.parametrize("axes", [1, 3])
@pytest.mark.parametrize("groups", [1, 4])
def test_other_numbers_of_axes_and_groups(tmp_path: Path, axes: int, groups: int) -> None:
    net = Net()
    shape = ",".join(["1", str(5 * groups), *["12"] * axes])
    kernel = net.normal(*((groups,) if groups > 1 else ()), 3, 5, *[2] * axes)
    attributes = {name: ",".join([value] * axes) for name, value in (("strides", "2"), ("dilations", "1"))}
    pads = {name: ",".join(["0"] * axes) for name in ("pads_begin", "pads_end")}
    name = "GroupConvolutionBackpropData" if groups > 1 else "ConvolutionBackpropData"
    data = net.parameter("x", ",".join(["1", str(3 * groups), *["6"] * axes]))
    made = net.layer(name, [data, kernel], shape, **attributes, **pads)
    scaled = net.layer("Multiply", [made, net.normal(1, 5 * groups, *[1] * axes)], shape)
    net.result(net.layer("ReLU", [net.layer("Add", [scaled, net.parameter("y", shape)], shape)], shape))
    check(net, tmp_path, ONLY, {"FusedTransposedConvolution": 1})


@pytest.mark.parametrize("sizes", [(12, 14), (11, 13), (15, 16)])
def test_sizes_that_a_file_asks_for(tmp_path: Path, sizes: tuple[int, int]) -> None:
    net = Net()
    shape = f"2,5,{sizes[0]},{sizes[1]}"
    inputs = [net.parameter("x", "2,4,6,7"), net.normal(4, 5, 2, 2), net.constant(np.array(sizes))]
    windows = PLAIN | {"strides": "2,2", "auto_pad": "same_upper"}
    result = net.layer("ConvolutionBackpropData", inputs, shape, **windows)
    scaled = net.layer("Multiply", [result, net.normal(1, 5, 1, 1)], shape)
    net.result(net.layer("Add", [scaled, net.parameter("y", shape)], shape))
    check(net, tmp_path, ONLY, {"FusedTransposedConvolution": 1})


def test_weights_that_change_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("x", "1,4,6,7"), net.parameter("w", "4,5,2,2")]
    net.result(net.layer("ConvolutionBackpropData", inputs, "1,5,7,8", **PLAIN))
    check(net, tmp_path, ONLY, {"ConvolutionBackpropData": 1})


def test_integers_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.layers("Convert", [net.parameter("x", "1,4,6,7")], [(I32, "1,4,6,7")], destination_type=I32)[0]
    weights = net.constant(np.ones((4, 5, 2, 2), np.int32), I32)
    net.result(*net.layers("ConvolutionBackpropData", [data, weights], [(I32, "1,5,7,8")], **PLAIN))
    assert types(net.compile(tmp_path, *ONLY)) == {"Convert": 1, "ConvolutionBackpropData": 1}
