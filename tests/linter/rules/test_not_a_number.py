"""Constants with NaN and divisors of 0: faults in front of arithmetic, else data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.linter import lint
from irrun.tensor.element_type import BOOLEAN, F32, I64
from tests.nets import Net

NAN = np.array([[1, 2], [3, np.nan]], np.float32)
Build = Callable[[Net, Handle, Handle], None]


def product(net: Net, x: Handle, weights: Handle) -> None:
    net.result(net.layer("ReLU", [net.layer("MatMul", [x, weights], "2,2")], "2,2"))


def convolution(net: Net, x: Handle, weights: Handle) -> None:
    kernel = net.layer("Reshape", [weights, net.constant([2, 2, 1, 1])], "2,2,1,1", special_zero=False)
    image = net.layer("Reshape", [x, net.constant([1, 2, 2, 1])], "1,2,2,1", special_zero=False)
    net.result(net.convolution(image, kernel, "1,2,2,1"))


def decompressed(net: Net, x: Handle, weights: Handle) -> None:
    scaled = net.layer("Multiply", [weights, net.constant(0.5)], "2,2")
    net.result(net.layer("MatMul", [x, net.layer("Transpose", [scaled, net.constant([1, 0])], "2,2")], "2,2"))


def bias(net: Net, x: Handle, weights: Handle) -> None:
    net.result(net.layer("Sigmoid", [net.layer("Add", [x, weights], "2,2")], "2,2"))


def limits(net: Net, x: Handle, weights: Handle) -> None:
    low, high = net.constant(0.0), net.constant(9.0)
    net.result(net.layer("FakeQuantize", [x, weights, high, low, high], "2,2", levels=256, auto_broadcast="numpy"))


def handed_out(net: Net, x: Handle, weights: Handle) -> None:
    net.result(weights, x)


def joined(net: Net, x: Handle, weights: Handle) -> None:
    net.result(net.layer("Concat", [x, weights], "4,2", axis=0))


def chosen(net: Net, x: Handle, weights: Handle) -> None:
    (mask,) = net.layers("Greater", [x, net.constant(0.0)], [(BOOLEAN, "2,2")])
    net.result(net.layer("Select", [mask, x, weights], "2,2"))


def chosen_after_arithmetic(net: Net, x: Handle, weights: Handle) -> None:
    chosen(net, x, net.layer("Add", [x, weights], "2,2"))


def compared(net: Net, x: Handle, weights: Handle) -> None:
    net.result(*net.layers("Equal", [x, weights], [(BOOLEAN, "2,2")]))


def looked_for(net: Net, x: Handle, weights: Handle) -> None:
    net.result(*net.layers("IsNaN", [weights], [(BOOLEAN, "2,2")], 10), x)


def bounded(net: Net, x: Handle, weights: Handle) -> None:
    net.result(net.layer("Maximum", [x, weights], "2,2"))


def gathered(net: Net, x: Handle, weights: Handle) -> None:
    rows = net.layer("Gather", [weights, net.parameter("i", "2", I64), net.constant(0)], "2,2", 8, batch_dims=0)
    net.result(rows, x)


def found(net: Net, folder: Path, code: str) -> list[str]:
    net.save(folder / "net.xml")
    return [str(item.severity) for item in lint(folder / "net.xml", asked=[code]) if item.code == code]


@pytest.mark.parametrize(
    ("build", "severity"),
    [
        *((build, "warning") for build in (product, convolution, decompressed, bias, limits)),
        *((build, "info") for build in (handed_out, joined, chosen, chosen_after_arithmetic, compared)),
        *((build, "info") for build in (looked_for, bounded, gathered)),
    ],
)
def test_a_nan_is_a_warning_where_it_spreads_for_sure(tmp_path: Path, build: Build, severity: str) -> None:
    net = Net()
    build(net, net.parameter("x", "2,2"), net.constant(NAN, F32))
    assert found(net, tmp_path, "IR601") == [severity]
    assert [item.code for item in lint(tmp_path / "net.xml")] == (["IR601"] if severity == "warning" else [])


def test_a_fill_value_of_nan(tmp_path: Path) -> None:
    net = Net()
    ends = net.constant([1, 1])
    padded = [net.parameter("x", "2,2"), ends, ends, net.constant(np.nan)]
    net.result(net.layer("Pad", padded, "4,4", pad_mode="constant"))
    assert found(net, tmp_path, "IR601") == ["info"]


@pytest.mark.parametrize(("divisors", "severity"), [([[2.0, 0.0]], "warning"), ([[0.0, 0.0]], "warning")])
@pytest.mark.parametrize("is_chosen", [False, True])
def test_a_divisor_of_zero(tmp_path: Path, divisors: list[list[float]], severity: str, is_chosen: bool) -> None:
    net = Net()
    x = net.parameter("x", "2,2")
    quotient = net.layer("Divide", [x, net.constant(divisors)], "2,2")
    if is_chosen:
        chosen(net, x, quotient)
    else:
        net.result(quotient)
    assert found(net, tmp_path, "IR608") == ["info" if is_chosen else severity]


@pytest.mark.parametrize(("variance", "severity"), [(-1e-7, "info"), (0.0, "info"), (-0.25, "warning")])
def test_a_variance_that_epsilon_makes_positive(tmp_path: Path, variance: float, severity: str) -> None:
    net = Net()
    ones = net.constant([1.0, 1.0])
    inputs = [net.parameter("x", "3,2"), ones, ones, ones, net.constant([1.0, variance])]
    net.result(net.layer("BatchNormInference", inputs, "3,2", 5, epsilon=1e-5))
    assert found(net, tmp_path, "IR605") == [severity]


@pytest.mark.parametrize(("is_constant", "severity"), [(True, "info"), (False, "warning")])
def test_an_empty_range_of_constant_weights(tmp_path: Path, is_constant: bool, severity: str) -> None:
    net = Net()
    low, high = net.constant([[-1.0], [0.0]]), net.constant([[1.0], [0.0]])
    weights = net.constant([[0.5, -0.5], [0.0, 0.0]]) if is_constant else net.parameter("w", "2,2")
    quantized = net.layer("FakeQuantize", [weights, low, high, low, high], "2,2", levels=255, auto_broadcast="numpy")
    net.result(net.layer("MatMul", [net.parameter("x", "2,2"), quantized], "2,2"))
    assert found(net, tmp_path, "IR606") == [severity]
