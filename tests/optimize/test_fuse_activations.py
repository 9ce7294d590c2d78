"""Activations written as several layers."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import I64
from tests.engines import TIERS
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-activations"]


FUSED = ["fuse-activations", "fuse-convolution", "fuse-matmul", "fuse-elementwise"]


def number(net: Net, value: float) -> Handle:
    return net.constant(np.float32(value))


def curve(net: Net, data: Handle, kind: str) -> Handle:
    """Add erf(x / sqrt(2)) + 1, or the hyperbolic tangent that approximates it."""
    if kind == "erf":
        inner = net.layer("Divide", [data, number(net, 2**0.5)], "3,4")
    else:
        cube = net.layer("Power", [data, number(net, 3)], "3,4")
        inner = net.layer("Add", [data, net.layer("Multiply", [cube, number(net, 0.044715)], "3,4")], "3,4")
        inner = net.layer("Multiply", [inner, number(net, (2 / np.pi) ** 0.5)], "3,4")
    made = net.layer("Erf" if kind == "erf" else "Tanh", [inner], "3,4")
    return net.layer("Add", [made, number(net, 1)], "3,4")


@merged()
@pytest.mark.parametrize("kind", ["erf", "tanh"])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_gelu(tmp_path: Path, kind: str, order: tuple[int, ...]) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    factors = [data, number(net, 0.5), curve(net, data, kind)]
    first, second, third = (factors[place] for place in order)
    product = net.layer("Multiply", [first, second], "3,4")
    net.result(net.layer("Multiply", [product, third], "3,4"))
    check(net, tmp_path, ONLY, {"Gelu": 1})


@pytest.mark.parametrize("first", [True, False])
def test_swish(tmp_path: Path, first: bool) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    gate = net.layer("Sigmoid", [data], "3,4")
    net.result(net.layer("Multiply", [data, gate] if first else [gate, data], "3,4"))
    check(net, tmp_path, ONLY, {"Swish": 1})


def test_the_gate_of_another_tensor_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data, other = net.parameter("x", "3,4"), net.parameter("y", "3,4")
    net.result(net.layer("Multiply", [net.layer("Sigmoid", [data], "3,4"), other], "3,4"))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "Multiply": 1})


def test_a_gate_that_is_a_result_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    gate = net.layer("Sigmoid", [data], "3,4")
    net.result(gate, net.layer("Multiply", [data, gate], "3,4"))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "Multiply": 1})


def test_another_factor_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    product = net.layer("Multiply", [data, curve(net, data, "erf")], "3,4")
    net.result(net.layer("Multiply", [product, number(net, 0.25)], "3,4"))
    check(net, tmp_path, ONLY, {"Divide": 1, "Erf": 1, "Add": 1, "Multiply": 2})


def test_a_curve_without_factors_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Tanh", [curve(net, net.parameter("x", "3,4"), "erf")], "3,4"))
    check(net, tmp_path, ONLY, {"Divide": 1, "Erf": 1, "Add": 1, "Tanh": 1})


@pytest.mark.parametrize("cubed", ["nothing", "another tensor"])
def test_another_cubic_is_left_alone(tmp_path: Path, cubed: str) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    total, left = data, {"Multiply": 3, "Tanh": 1, "Add": 1}
    if cubed == "another tensor":
        cube = net.layer("Power", [net.parameter("y", "3,4"), number(net, 3)], "3,4")
        total = net.layer("Add", [data, net.layer("Multiply", [cube, number(net, 0.044715)], "3,4")], "3,4")
        left = {"Multiply": 4, "Tanh": 1, "Add": 2, "Power": 1}
    inner = net.layer("Multiply", [total, number(net, (2 / np.pi) ** 0.5)], "3,4")
    one = net.layer("Add", [net.layer("Tanh", [inner], "3,4"), number(net, 1)], "3,4")
    product = net.layer("Multiply", [data, one], "3,4")
    net.result(net.layer("Multiply", [product, number(net, 0.5)], "3,4"))
    check(net, tmp_path, ONLY, left)


def test_a_gate_of_unknown_size_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    (places,) = net.layers("NonZero", [net.parameter("x", "3,4")], [(I64, "2,?")], 3, output_type="i64")
    data = net.layer("Convert", [places], "2,?", destination_type="f32")
    net.result(net.layer("Multiply", [data, net.layer("Sigmoid", [data], "2,?")], "2,?"))
    check(net, tmp_path, ONLY, {"NonZero": 1, "Convert": 1, "Sigmoid": 1, "Multiply": 1})


@merged()
@pytest.mark.parametrize("slope", [0.1, [0.1], [[-2.0]], [3.0] * 3, [[[0.1]] * 3], np.inf], ids=str)
def test_a_slope_that_is_the_same_everywhere(tmp_path: Path, slope: Any) -> None:
    net = Net()
    net.result(net.layer("PReLU", [net.parameter("x", "2,3,4"), net.constant(np.array(slope, np.float32))], "2,3,4"))
    check(net, tmp_path, ONLY, {"FusedLeakyReLU": 1})


@pytest.mark.parametrize("slope", [[0.1, 0.2, 0.1], [np.nan], "input", "another type"], ids=str)
def test_another_slope_is_left_alone(tmp_path: Path, slope: Any) -> None:
    net = Net()
    if slope == "input":
        steepness = net.parameter("slope", "1")
    else:
        steepness = net.constant([2]) if slope == "another type" else net.constant(np.array(slope, np.float32))
    net.result(net.layer("PReLU", [net.parameter("x", "2,3,4"), steepness], "2,3,4"))
    check(net, tmp_path, ONLY, {"PReLU": 1})


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("slope", [0.01, 1.0])
def test_the_larger_of_a_tensor_and_a_multiple(tmp_path: Path, is_first: bool, slope: float) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    product = net.layer("Multiply", [number(net, slope), data], "3,4")
    net.result(net.layer("Maximum", [data, product] if is_first else [product, data], "3,4"))
    check(net, tmp_path, ONLY, {"FusedLeakyReLU": 1})


@pytest.mark.parametrize("slope", [0.0, -0.5, 1.5, "another tensor"])
def test_another_maximum_is_left_alone(tmp_path: Path, slope: Any) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    is_other = slope == "another tensor"
    factor, other = (0.5, net.parameter("y", "3,4")) if is_other else (slope, data)
    product = net.layer("Multiply", [other, number(net, factor)], "3,4")
    net.result(net.layer("Maximum", [data, product], "3,4"))
    check(net, tmp_path, ONLY, {"Maximum": 1, "Multiply": 1})


def test_leaky_relu_after_products_and_in_chains(tmp_path: Path) -> None:
    net = Net()
    slope = net.constant(np.float32([0.1]))
    data = net.layer(
        "PReLU", [net.convolution(net.parameter("x", "1,3,6,6"), net.normal(4, 3, 3, 3), "1,4,4,4"), slope], "1,4,4,4"
    )
    data = net.layer("PReLU", [net.layer("MatMul", [data, net.normal(4, 4)], "1,4,4,4"), slope], "1,4,4,4")
    data = net.layer("PReLU", [net.layer("Add", [data, net.normal(4, 1)], "1,4,4,4"), slope], "1,4,4,4")
    net.result(net.layer("Multiply", [data, net.parameter("y", "1,4,4,4")], "1,4,4,4"))
    check(net, tmp_path, FUSED, {"FusedConvolution": 1, "FusedMatMul": 1, "FusedElementwise": 1})


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_values_of_leaky_relu(tmp_path: Path, tier: str, precision: str) -> None:
    net = Net()
    weights = net.random.integers(-8, 8, (5, 7)).astype(np.float32)
    product = net.layer("MatMul", [net.parameter("x", "6,5"), net.constant(weights)], "6,7")
    net.result(net.layer("PReLU", [product, number(net, 0.25)], "6,7"))
    compiled = net.compile(tmp_path, TIER=tier, INFERENCE_PRECISION_HINT=precision)
    x = net.random.integers(-8, 8, (6, 5)).astype(np.float32)
    sums = x.astype(np.float64) @ weights
    np.testing.assert_array_equal(compiled({"x": x})[0], np.where(sums < 0, sums / 4, sums))
