"""Chains of element-wise layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN, I8, I64
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-elementwise"]


def chain(net: Net, data: Handle, shape: str, row: Handle) -> Handle:
    """Add tanh(x * row) - max(x, 0) / (row * row + 2.5), whose operands are separate chains."""
    left = net.layer("Tanh", [net.layer("Multiply", [data, row], shape)], shape)
    positive = net.layer("Maximum", [data, net.constant(np.float32(0))], shape)
    divisor = net.layer("Add", [net.layer("Multiply", [row, row], shape), net.constant(np.float32(2.5))], shape)
    return net.layer("Subtract", [left, net.layer("Divide", [positive, divisor], shape)], shape)


def test_a_tree_of_layers(tmp_path: Path) -> None:
    net = Net()
    net.result(chain(net, net.parameter("x", "3,4"), "3,4", net.parameter("y", "3,4")))
    check(net, tmp_path, ONLY, {"FusedElementwise": 1})


def test_in_blocks(tmp_path: Path) -> None:
    """The tensor is larger than a block on each axis, and factors broadcast along other axes."""
    net = Net()
    shape = "2,3,70,900"
    data = net.parameter("x", shape)
    scaled = net.layer("Multiply", [data, net.normal(1, 3, 1, 1)], shape)
    shifted = net.layer("Add", [net.normal(900), scaled], shape)
    doubled = net.layer("Multiply", [shifted, data], shape)
    net.result(net.layer("ReLU", [net.layer("Add", [doubled, net.parameter("y", "2,1,70,1")], shape)], shape))
    check(net, tmp_path, ONLY, {"FusedElementwise": 1})


def test_in_blocks_of_a_transposed_tensor(tmp_path: Path) -> None:
    net = Net()
    transposed = net.layer("Transpose", [net.parameter("x", "40,50,60"), net.constant(np.array([2, 0, 1]))], "60,40,50")
    scaled = net.layer("Multiply", [transposed, net.normal(40, 1)], "60,40,50")
    net.result(net.layer("Sigmoid", [net.layer("Add", [scaled, net.normal(50)], "60,40,50")], "60,40,50"))
    check(net, tmp_path, ONLY, {"Transpose": 1, "FusedElementwise": 1})


def test_a_result_in_between_stays(tmp_path: Path) -> None:
    net = Net()
    first = net.layer("Tanh", [net.parameter("x", "3,4")], "3,4")
    net.result(first, net.layer("Add", [first, net.constant(np.float32(1))], "3,4"))
    check(net, tmp_path, ONLY, {"FusedElementwise": 2})


def test_what_two_layers_take_is_computed_once(tmp_path: Path) -> None:
    net = Net()
    first = net.layer("Exp", [net.parameter("x", "3,4")], "3,4")
    pair = [net.layer("Sqrt", [first], "3,4"), net.layer("Negative", [first], "3,4")]
    net.result(net.layer("Multiply", pair, "3,4"))
    check(net, tmp_path, ONLY, {"FusedElementwise": 2})


def test_what_grows_on_the_way_is_a_chain_of_its_own(tmp_path: Path) -> None:
    net = Net()
    small = net.layer("Tanh", [net.parameter("x", "1,4")], "1,4")
    net.result(net.layer("Add", [small, net.parameter("y", "3,4")], "3,4"))
    check(net, tmp_path, ONLY, {"FusedElementwise": 2})


def test_integers_become_floats_in_the_chain(tmp_path: Path) -> None:
    for count in (40, 4000):
        net, shape = Net(), f"3,{count},4"
        (levels,) = net.layers("Convert", [net.parameter("x", shape)], [(I8, shape)], destination_type="i8")
        number = net.layer("Convert", [levels], shape, destination_type="f32")
        shifted = net.layer("Subtract", [number, net.normal(4)], shape)
        net.result(net.layer("Multiply", [shifted, net.normal(count, 1)], shape))
        check(net, tmp_path, ONLY, {"Convert": 1, "FusedElementwise": 1})


def test_select_is_in_the_chain(tmp_path: Path) -> None:
    net = Net()
    shape = "2,300,70"
    x, y = net.parameter("x", shape), net.parameter("y", shape)
    (larger,) = net.layers("Greater", [x, net.parameter("z", "70")], [(BOOLEAN, shape)])
    doubled, negative = net.layer("Multiply", [x, y], shape), net.layer("Negative", [y], shape)
    chosen = net.layer("Select", [larger, negative, doubled], shape)
    net.result(net.layer("Add", [chosen, net.constant(np.float32(2))], shape))
    check(net, tmp_path, ONLY, {"Greater": 1, "FusedElementwise": 1})


def test_a_single_convert_or_select_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    (larger,) = net.layers("Greater", [net.parameter("x", "3,4"), net.parameter("y", "4")], [(BOOLEAN, "3,4")])
    net.result(net.layer("Convert", [larger], "3,4", destination_type="f32"))
    net.result(net.layer("Select", [larger, net.normal(4), net.normal(1)], "3,4"))
    check(net, tmp_path, ONLY, {"Greater": 1, "Convert": 1, "Select": 1})


def test_integers_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    shape = net.layers("ShapeOf", [net.parameter("x", "?,4")], [(I64, "2")], 3, output_type="i64")
    more = net.layers("Add", [*shape, net.constant(np.array([1, 2]))], [(I64, "2")])
    net.result(*net.layers("Multiply", [*more, *shape], [(I64, "2")]))
    check(net, tmp_path, ONLY, {"ShapeOf": 1, "Add": 1, "Multiply": 1}, sizes={"x": (3, 4)})


def test_broadcast_by_an_axis_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    pair = [net.parameter("x", "2,3,4"), net.parameter("y", "3")]
    rule = {"auto_broadcast": "pdpd", "auto_broadcast__auto_broadcast_axis": 1}
    net.result(net.layer("Add", pair, "2,3,4", **rule))
    check(net, tmp_path, ONLY, {"Add": 1})


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_sizes_of_a_run_that_are_equal(tmp_path: Path, rows: int) -> None:
    net = Net()
    made = net.layer("Exp", [net.parameter("x", "?,4")], "?,4")
    net.result(net.layer("Tanh", [net.layer("Multiply", [made, net.normal(4)], "?,4")], "?,4"))
    check(net, tmp_path, ONLY, {"FusedElementwise": 1}, sizes={"x": (rows, 4)})


@pytest.mark.parametrize("sizes", [(1, 3), (3, 1), (3, 3)])
def test_sizes_of_a_run_that_may_differ(tmp_path: Path, sizes: tuple[int, int]) -> None:
    net = Net()
    both = net.layer("Add", [net.parameter("x", "?,4"), net.parameter("y", "?,4")], "?,4")
    net.result(net.layer("Sqrt", [net.layer("Exp", [both], "?,4")], "?,4"))
    check(net, tmp_path, ONLY, {"FusedElementwise": 1}, sizes={"x": (sizes[0], 4), "y": (sizes[1], 4)})


@pytest.mark.rest
def test_a_very_long_chain(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,3")
    for _ in range(1200):
        data = net.layer("Add", [data, net.constant(np.float32(0.001))], "2,3")
    net.result(data)
    check(net, tmp_path, ONLY, {"FusedElementwise": 3})
