"""Matrix products fused with the layers behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-matmul"]


def multiplied(net: Net, transposed: bool = False) -> Handle:
    weights = net.normal(7, 6) if transposed else net.normal(6, 7)
    return net.layer("MatMul", [net.parameter("x", "2,3,6"), weights], "2,3,7", transpose_b=transposed)


@pytest.mark.parametrize("transposed", [False, True])
def test_bias_residual_and_activation(tmp_path: Path, transposed: bool) -> None:
    net = Net()
    added = net.layer("Add", [multiplied(net, transposed), net.normal(1, 1, 7)], "2,3,7")
    whole = net.layer("Add", [net.parameter("y", "2,3,7"), added], "2,3,7")
    net.result(net.layer("Gelu", [whole], "2,3,7", 7, approximation_mode="tanh"))
    check(net, tmp_path, ONLY, {"FusedMatMul": 1})


def test_a_scale_is_folded_into_the_weights(tmp_path: Path) -> None:
    net = Net()
    scaled = net.layer("Multiply", [multiplied(net), net.constant(np.float32(0.25))], "2,3,7")
    net.result(net.layer("Multiply", [scaled, net.normal(7)], "2,3,7"))
    check(net, tmp_path, ONLY, {"FusedMatMul": 1})


def test_one_product_after_the_other(tmp_path: Path) -> None:
    net = Net()
    first = net.layer("Add", [multiplied(net), net.normal(7)], "2,3,7")
    flat = net.layer("Reshape", [first, net.constant(np.array([6, 7]))], "6,7", special_zero=False)
    second = net.layer("MatMul", [flat, net.normal(7, 4)], "6,4")
    net.result(net.layer("Add", [second, net.normal(1, 4)], "6,4"))
    check(net, tmp_path, ONLY, {"FusedMatMul": 2, "Reshape": 1})


def test_dynamic_rows(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "?,?,6")
    made = net.layer("MatMul", [data, net.normal(6, 7)], "?,?,7")
    net.result(net.layer("Add", [made, net.normal(7)], "?,?,7"))
    for rows in (1, 5):
        check(net, tmp_path, ONLY, {"FusedMatMul": 1}, sizes={"x": (2, rows, 6)})


@pytest.mark.parametrize(("rows", "more"), [(5, 5), (1, 5), (5, 1)])
def test_rows_of_two_inputs(tmp_path: Path, rows: int, more: int) -> None:
    net = Net()
    both = net.layer("Add", [net.parameter("x", "?,6"), net.parameter("y", "?,6")], "?,6")
    made = net.layer("MatMul", [both, net.normal(6, 6)], "?,6")
    net.result(net.layer("Add", [net.layer("Add", [made, net.normal(6)], "?,6"), both], "?,6"))
    check(net, tmp_path, ONLY, {"Add": 1, "FusedMatMul": 1}, sizes={"x": (rows, 6), "y": (more, 6)})


@pytest.mark.parametrize("activation", [None, "ReLU"])
def test_no_rows_at_all(tmp_path: Path, activation: str | None) -> None:
    net = Net()
    data = net.parameter("x", "?,200")
    made = net.layer("Add", [net.layer("MatMul", [data, net.normal(200, 300)], "?,300"), net.normal(300)], "?,300")
    net.result(made if activation is None else net.layer(activation, [made], "?,300"))
    compiled = net.compile(tmp_path, INFERENCE_NUM_THREADS=1)
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    for rows in (0, 8, 0):
        inputs = net.inputs({"x": (rows, 200)})
        np.testing.assert_allclose(compiled(inputs)[0], plain(inputs)[0], rtol=1e-4, atol=1e-4)


def test_large_products_are_shared_between_threads(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "300,256")
    made = net.layer("MatMul", [data, net.normal(256, 700)], "300,700")
    added = net.layer("Add", [made, net.normal(700)], "300,700")
    net.result(net.layer("MatMul", [net.layer("Tanh", [added], "300,700"), net.normal(700, 250)], "300,250"))
    check(net, tmp_path, ONLY, {"FusedMatMul": 2}, rtol=1e-3, atol=1e-3)


def test_weights_that_change_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    made = net.layer("MatMul", [net.parameter("x", "3,6"), net.parameter("w", "6,7")], "3,7")
    net.result(net.layer("ReLU", [made], "3,7"))
    check(net, tmp_path, ONLY, {"MatMul": 1, "ReLU": 1})


def test_a_vector_and_a_transposed_first_factor_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    one = net.layer("MatMul", [net.parameter("x", "6"), net.normal(6, 7)], "7")
    two = net.layer("MatMul", [net.parameter("y", "6,3"), net.normal(6, 7)], "3,7", transpose_a=True)
    net.result(one, two)
    check(net, tmp_path, ONLY, {"MatMul": 2})


def test_a_bias_for_each_row_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Add", [multiplied(net), net.normal(3, 1)], "2,3,7"))
    assert types(check(net, tmp_path, ONLY, {"FusedMatMul": 1, "Add": 1}))["Add"] == 1


def test_a_result_in_between_stays(tmp_path: Path) -> None:
    net = Net()
    made = multiplied(net)
    net.result(made, net.layer("ReLU", [made], "2,3,7"))
    check(net, tmp_path, ONLY, {"FusedMatMul": 1, "ReLU": 1})
