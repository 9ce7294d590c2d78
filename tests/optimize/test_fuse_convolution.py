"""Convolutions fused with the layers behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.tensor import Array
from irrun.tensor.element_type import I32
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-convolution"]


def convolved(net: Net, shape: str = "1,4,6,6") -> Handle:
    return net.convolution(net.parameter("x", shape), net.normal(5, 4, 3, 3), "1,5,4,4")


def test_bias_and_activation(tmp_path: Path) -> None:
    net = Net()
    added = net.layer("Add", [convolved(net), net.normal(1, 5, 1, 1)], "1,5,4,4")
    net.result(net.layer("ReLU", [added], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1})


def test_scale_shift_and_batch_norm(tmp_path: Path) -> None:
    net = Net()
    scaled = net.layer("Multiply", [net.normal(1, 5, 1, 1), convolved(net)], "1,5,4,4")
    shifted = net.layer("Subtract", [scaled, net.normal(5, 1, 1)], "1,5,4,4")
    halved = net.layer("Divide", [shifted, net.constant(np.float32(2))], "1,5,4,4")
    variance = net.constant(np.linspace(0.5, 2, 5, dtype=np.float32))
    rows = [net.normal(5), net.normal(5), net.normal(5), variance]
    net.result(net.layer("BatchNormInference", [halved, *rows], "1,5,4,4", 5, epsilon=1e-5))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1})


@pytest.mark.parametrize("first", [True, False])
def test_residual(tmp_path: Path, first: bool) -> None:
    net = Net()
    other = net.parameter("y", "1,5,4,4")
    pair = [other, convolved(net)] if first else [convolved(net), other]
    added = net.layer("Add", pair, "1,5,4,4")
    net.result(net.layer("Clamp", [added], "1,5,4,4", min=0, max=6))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1})


def ramp(net: Net, factor: Array, kernel: int = 1) -> None:
    """Add a ReLU of scaled and shifted channels, then a convolution."""
    scaled = net.layer("Multiply", [net.parameter("x", "1,5,6,6"), net.constant(factor)], "1,5,6,6")
    shifted = net.layer("Add", [scaled, net.normal(1, 5, 1, 1)], "1,5,6,6")
    size = 7 - kernel
    relu = net.layer("ReLU", [shifted], "1,5,6,6")
    net.result(net.convolution(relu, net.normal(3, 5, kernel, kernel), f"1,3,{size},{size}"))


def test_relu_of_scaled_and_shifted_channels(tmp_path: Path) -> None:
    net = Net()
    ramp(net, np.linspace(0.1, 3, 5, dtype=np.float32).reshape(1, 5, 1, 1))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1})


@pytest.mark.parametrize(
    ("factor", "kernel"),
    [([1, 2, -1, 2, 1], 1), ([1, 2, 0, 2, 1], 1), ([1, 2, 1e-45, 2, 1], 1), ([1, 2, 3, 4, 5], 3)],
    ids=["negative", "zero", "without a finite bound", "windows of several elements"],
)
def test_relu_that_stays(tmp_path: Path, factor: list[float], kernel: int) -> None:
    net = Net()
    ramp(net, np.array(factor, np.float32).reshape(1, 5, 1, 1), kernel)
    check(net, tmp_path, ONLY, {"Multiply": 1, "Add": 1, "ReLU": 1, "FusedConvolution": 1})


@merged()
@pytest.mark.parametrize("kind", ["Sigmoid", "Tanh", "HSwish", "Swish", "Mish", "SoftPlus", "Gelu", "HSigmoid", "Abs"])
def test_activations(tmp_path: Path, kind: str) -> None:
    net = Net()
    opset = {"Sigmoid": 1, "Tanh": 1, "Abs": 1, "HSigmoid": 5, "Gelu": 7}.get(kind, 4)
    net.result(net.layer(kind, [convolved(net)], "1,5,4,4", opset))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1})


def test_groups(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,4,6,6")
    one = net.convolution(data, net.normal(4, 1, 1, 3, 3), "2,4,4,4", "GroupConvolution")
    scaled = net.layer("Multiply", [one, net.normal(1, 4, 1, 1)], "2,4,4,4")
    two = net.convolution(scaled, net.normal(2, 3, 2, 1, 1), "2,6,4,4", "GroupConvolution")
    net.result(net.layer("Add", [two, net.normal(1, 6, 1, 1)], "2,6,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 2})


def test_dynamic_sizes(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "?,4,?,?")
    made = net.convolution(data, net.normal(5, 4, 3, 3), "?,5,?,?")
    added = net.layer("Add", [made, net.normal(1, 5, 1, 1)], "?,5,?,?")
    net.result(net.layer("ReLU", [added], "?,5,?,?"))
    for size in (5, 8):
        check(net, tmp_path, ONLY, {"FusedConvolution": 1}, sizes={"x": (2, 4, size, size + 1)})


def test_a_result_in_between_stays(tmp_path: Path) -> None:
    net = Net()
    made = convolved(net)
    net.result(made, net.layer("ReLU", [made], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "ReLU": 1})


def test_what_two_layers_take_stays(tmp_path: Path) -> None:
    net = Net()
    made = net.layer("Add", [convolved(net), net.normal(1, 5, 1, 1)], "1,5,4,4")
    net.result(net.layer("ReLU", [made], "1,5,4,4"), net.layer("Tanh", [made], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "ReLU": 1, "Tanh": 1})


def test_weights_that_change_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    data, weights = net.parameter("x", "1,4,6,6"), net.parameter("w", "5,4,3,3")
    net.result(net.layer("ReLU", [net.convolution(data, weights, "1,5,4,4")], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"Convolution": 1, "ReLU": 1})


@pytest.mark.parametrize("shape", [(1, 1, 1, 4), (1, 5, 1, 4), (3, 1, 1, 1)])
def test_what_is_not_for_each_channel_is_not_folded(tmp_path: Path, shape: tuple[int, ...]) -> None:
    net = Net()
    out = f"{shape[0]},5,4,4"
    net.result(net.layer("Multiply", [convolved(net), net.normal(*shape)], out))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "Multiply": 1})


def test_division_by_zero_is_not_folded(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Divide", [convolved(net), net.constant(np.zeros((1, 5, 1, 1), np.float32))], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "Divide": 1})


def test_nothing_is_multiplied_behind_a_residual(tmp_path: Path) -> None:
    net = Net()
    added = net.layer("Add", [convolved(net), net.parameter("y", "1,5,4,4")], "1,5,4,4")
    net.result(net.layer("Multiply", [added, net.normal(1, 5, 1, 1)], "1,5,4,4"))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "Multiply": 1})


def test_accuracy_avoids_the_transform_that_loses_bits(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "1,64,32,32")
    net.result(net.convolution(data, net.normal(64, 64, 3, 3), "1,64,30,30"))
    inputs = net.inputs()
    fast, exact = net.compile(tmp_path), net.compile(tmp_path, EXECUTION_MODE_HINT="ACCURACY")
    plain = net.compile(tmp_path, "no pass")(inputs)[0]
    assert types(fast) == types(exact) == {"FusedConvolution": 1}
    scale = np.abs(plain).max()
    assert np.abs(exact(inputs)[0] - plain).max() <= 2e-6 * scale
    assert 0 < np.abs(fast(inputs)[0] - plain).max() <= 4e-5 * scale


def normalized(net: Net, data: Handle, kind: str) -> Handle:
    rows = [net.normal(5), net.normal(5), net.normal(5)]
    if kind == "variance that varies":
        rows.append(net.parameter("variance", "5"))
    else:
        least = -1e-3 if kind == "no deviation" else 0.5
        rows.append(net.constant(np.linspace(least, 2, 5, dtype=np.float32)))
    if kind == "first version":
        return net.layer("BatchNormInference", [*rows[:2], data, *rows[2:]], "1,5,4,4", 1, epsilon=1e-3)
    return net.layer("BatchNormInference", [data, *rows], "1,5,4,4", 5, epsilon=1e-3)


@pytest.mark.parametrize("kind", ["variance that varies", "no deviation", "first version"])
def test_other_batch_norms_are_left_alone(tmp_path: Path, kind: str) -> None:
    net = Net()
    net.result(normalized(net, convolved(net), kind))
    alone = net.compile(tmp_path, *ONLY, TIER="numpy")
    assert types(alone) == {"FusedConvolution": 1, "BatchNormInference": 1}
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    inputs = {name: np.abs(array) for name, array in net.inputs().items()}
    np.testing.assert_allclose(alone(inputs)[0], plain(inputs)[0], rtol=1e-4, atol=1e-5)


def test_a_batch_norm_of_another_axis_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    product = net.layer("MatMul", [net.parameter("x", "2,5,3"), net.normal(3, 4)], "2,5,4")
    rows = [net.normal(5), net.normal(5), net.normal(5), net.constant(np.linspace(0.5, 2, 5, dtype=np.float32))]
    net.result(net.layer("BatchNormInference", [product, *rows], "2,5,4", 5, epsilon=1e-3))
    check(net, tmp_path, ["fuse-matmul"], {"FusedMatMul": 1, "BatchNormInference": 1})


def test_a_swish_with_a_factor_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Swish", [convolved(net), net.parameter("beta", "")], "1,5,4,4", 4))
    check(net, tmp_path, ONLY, {"FusedConvolution": 1, "Swish": 1})


def test_channels_scaled_by_a_tensor_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    scaled = net.layer("Multiply", [net.parameter("x", "1,5,6,6"), net.parameter("y", "1,5,6,6")], "1,5,6,6")
    shifted = net.layer("Add", [scaled, net.normal(1, 5, 1, 1)], "1,5,6,6")
    relu = net.layer("ReLU", [shifted], "1,5,6,6")
    net.result(net.convolution(relu, net.normal(3, 5, 1, 1), "1,3,6,6"))
    check(net, tmp_path, ONLY, {"Multiply": 1, "Add": 1, "ReLU": 1, "FusedConvolution": 1})


def test_integers_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.layers("Convert", [net.parameter("x", "1,4,6,6")], [(I32, "1,4,6,6")], destination_type=I32)[0]
    weights = net.constant(np.ones((4, 4, 1, 1), np.int32), I32)
    windows = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "auto_pad": "valid"}
    net.result(*net.layers("Convolution", [data, weights], [(I32, "1,4,6,6")], **windows))
    assert types(net.compile(tmp_path, *ONLY)) == {"Convert": 1, "Convolution": 1}
