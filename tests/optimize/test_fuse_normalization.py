"""Normalizations along the last axis, as one layer and as several layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-normalization"]
LAST = np.array([-1])


def mvn(net: Net, data: Handle, axis: int = -1, **attributes: object) -> Handle:
    given = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"} | attributes
    return net.layer("MVN", [data, net.constant(np.array([axis]))], "2,3,8", 6, **given)


def mean(net: Net, data: Handle) -> Handle:
    return net.layer("ReduceMean", [data, net.constant(LAST)], "2,3,1", keep_dims=True)


def mean_square(net: Net, data: Handle, as_product: bool = False) -> Handle:
    if as_product:
        return mean(net, net.layer("Multiply", [data, data], "2,3,8"))
    return mean(net, net.layer("Power", [data, net.constant(np.float32(2))], "2,3,8"))


def affine(net: Net, data: Handle) -> Handle:
    scaled = net.layer("Multiply", [net.normal(8), data], "2,3,8")
    return net.layer("Add", [scaled, net.normal(1, 1, 8)], "2,3,8")


@pytest.mark.parametrize("mode", ["inside_sqrt", "outside_sqrt"])
def test_mvn_with_scale_and_shift(tmp_path: Path, mode: str) -> None:
    net = Net()
    net.result(affine(net, mvn(net, net.parameter("x", "2,3,8"), eps_mode=mode)))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1})


def test_mvn_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(mvn(net, net.parameter("x", "2,3,8"), 2))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1})


@pytest.mark.parametrize("as_product", [False, True])
def test_written_out(tmp_path: Path, as_product: bool) -> None:
    net = Net()
    data = net.parameter("x", "2,3,8")
    centred = net.layer("Subtract", [data, mean(net, data)], "2,3,8")
    variance = net.layer("Add", [mean_square(net, centred, as_product), net.constant(np.float32(1e-5))], "2,3,1")
    root = net.layer("Sqrt", [variance], "2,3,1")
    net.result(affine(net, net.layer("Divide", [centred, root], "2,3,8")))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1})


@pytest.mark.parametrize("form", ["reciprocal", "power", "root and power"])
def test_root_mean_square(tmp_path: Path, form: str) -> None:
    net = Net()
    data = net.parameter("x", "2,3,8")
    total = net.layer("Add", [net.constant(np.float32(1e-5)), mean_square(net, data)], "2,3,1")
    if form == "power":
        inverse = net.layer("Power", [total, net.constant(np.float32(-0.5))], "2,3,1")
    else:
        root = net.layer("Sqrt", [total], "2,3,1")
        number = net.constant(np.float32(1 if form == "reciprocal" else -1))
        pair = [number, root] if form == "reciprocal" else [root, number]
        inverse = net.layer("Divide" if form == "reciprocal" else "Power", pair, "2,3,1")
    product = net.layer("Multiply", [data, inverse], "2,3,8")
    net.result(net.layer("Multiply", [product, net.normal(1, 1, 8)], "2,3,8"))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1})


def test_dynamic_rows(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "?,8")
    given = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"}
    made = net.layer("MVN", [data, net.constant(LAST)], "?,8", 6, **given)
    net.result(net.layer("Multiply", [made, net.normal(8)], "?,8"))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1}, sizes={"x": (5, 8)})


def test_large_tensors_are_shared_between_threads(tmp_path: Path) -> None:
    net = Net()
    given = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"}
    made = net.layer("MVN", [net.parameter("x", "500,600"), net.constant(LAST)], "500,600", 6, **given)
    net.result(net.layer("Add", [made, net.normal(600)], "500,600"))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1})


def test_another_axis_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(mvn(net, net.parameter("x", "2,3,8"), 1))
    check(net, tmp_path, ONLY, {"MVN": 1})


def test_without_variance_it_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(mvn(net, net.parameter("x", "2,3,8"), normalize_variance=False))
    check(net, tmp_path, ONLY, {"MVN": 1})


def test_a_result_in_between_stays(tmp_path: Path) -> None:
    net = Net()
    made = mvn(net, net.parameter("x", "2,3,8"))
    net.result(made, affine(net, made))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1, "Multiply": 1, "Add": 1})


def test_a_scale_that_adds_an_axis_stays(tmp_path: Path) -> None:
    net = Net()
    made = mvn(net, net.parameter("x", "2,3,8"))
    net.result(net.layer("Multiply", [made, net.normal(1, 1, 1, 8)], "1,2,3,8"))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1, "Multiply": 1})


def test_the_mean_of_something_else_is_not_taken_for_a_centre(tmp_path: Path) -> None:
    net = Net()
    data, other = net.parameter("x", "2,3,8"), net.parameter("y", "2,3,8")
    off = net.layer("Subtract", [data, mean(net, other)], "2,3,8")
    variance = net.layer("Add", [mean_square(net, off), net.constant(np.float32(1e-5))], "2,3,1")
    net.result(net.layer("Divide", [off, net.layer("Sqrt", [variance], "2,3,1")], "2,3,8"))
    check(net, tmp_path, ONLY, {"ReduceMean": 1, "Subtract": 1, "FusedLayerNorm": 1})


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [2, 0, 1, 3], [3, 0, 1, 2]])
def test_tensors_that_lie_in_memory_in_any_order(tmp_path: Path, order: list[int]) -> None:
    net = Net()
    sizes = (2, 3, 4, 5)
    shape = ",".join(str(sizes[axis]) for axis in order)
    transposed = net.layer("Transpose", [net.parameter("x", "2,3,4,5"), net.constant(np.array(order))], shape)
    given = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"}
    made = net.layer("MVN", [transposed, net.constant(LAST)], shape, 6, **given)
    net.result(net.layer("Multiply", [made, net.normal(sizes[order[-1]])], shape))
    check(net, tmp_path, ONLY, {"Transpose": 1, "FusedLayerNorm": 1})


def test_rows_of_unknown_length_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,3,?")
    given = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"}
    net.result(net.layer("MVN", [data, net.constant(np.array([-1]))], "2,3,?", 6, **given))
    check(net, tmp_path, ONLY, {"MVN": 1}, sizes={"x": (2, 3, 8)})


def test_a_layer_of_one_input_ends_the_normalization(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Tanh", [mvn(net, net.parameter("x", "2,3,8"))], "2,3,8"))
    check(net, tmp_path, ONLY, {"FusedLayerNorm": 1, "Tanh": 1})


@pytest.mark.parametrize("used", ["variance", "root"])
def test_parts_that_are_results_are_left_alone(tmp_path: Path, used: str) -> None:
    net = Net()
    data = net.parameter("x", "2,3,8")
    variance = net.layer("Add", [mean_square(net, data), net.constant(np.float32(1e-5))], "2,3,1")
    root = net.layer("Sqrt", [variance], "2,3,1")
    net.result(variance if used == "variance" else root, net.layer("Divide", [data, root], "2,3,8"))
    check(net, tmp_path, ONLY, {"Power": 1, "ReduceMean": 1, "Add": 1, "Sqrt": 1, "Divide": 1})


@pytest.mark.parametrize("exponent", [-1, 0.25])
def test_other_powers_of_the_variance_are_left_alone(tmp_path: Path, exponent: float) -> None:
    net = Net()
    data = net.parameter("x", "2,3,8")
    variance = net.layer("Add", [mean_square(net, data), net.constant(np.float32(1e-5))], "2,3,1")
    root = net.layer("Power", [variance, net.constant(np.float32(exponent))], "2,3,1")
    net.result(net.layer("Multiply", [data, root], "2,3,8"))
    check(net, tmp_path, ONLY, {"Power": 2, "ReduceMean": 1, "Add": 1, "Multiply": 1})


def test_the_square_of_the_inverse_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,3,8")
    variance = net.layer("Add", [mean_square(net, data), net.constant(np.float32(1e-5))], "2,3,1")
    inverse = net.layer("Power", [variance, net.constant(np.float32(-0.5))], "2,3,1")
    net.result(net.layer("Multiply", [inverse, inverse], "2,3,1"))
    check(net, tmp_path, ONLY, {"Power": 2, "ReduceMean": 1, "Add": 1, "Multiply": 1})


def test_an_exponent_that_adds_an_axis_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "3,8")
    squares = net.layer("Power", [data, net.constant(np.full((1, 1, 1), 2, np.float32))], "1,3,8")
    variance = net.layer("Add", [mean_of(net, squares), net.constant(np.float32(1e-5))], "1,3,1")
    net.result(net.layer("Divide", [data, net.layer("Sqrt", [variance], "1,3,1")], "1,3,8"))
    check(net, tmp_path, ONLY, {"Power": 1, "ReduceMean": 1, "Add": 1, "Sqrt": 1, "Divide": 1})


def mean_of(net: Net, data: Handle) -> Handle:
    return net.layer("ReduceMean", [data, net.constant(LAST)], "1,3,1", keep_dims=True)


def test_a_mean_without_its_axis_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    x, axes = net.parameter("x", "4,1,8"), net.constant([2])
    mean = net.layer("ReduceMean", [x, axes], "4,1", keep_dims=False)
    mean = net.layer("Unsqueeze", [mean, axes], "4,1,1")
    centred = net.layer("Subtract", [x, mean], "4,1,8")
    square = net.layer("Power", [centred, net.constant(np.float32(2))], "4,1,8")
    variance = net.layer("ReduceMean", [square, axes], "4,1,1", keep_dims=True)
    root = net.layer("Sqrt", [net.layer("Add", [variance, net.constant(np.float32(1e-5))], "4,1,1")], "4,1,1")
    net.result(net.layer("Divide", [centred, root], "4,1,8"))
    assert "FusedNormalization" not in types(net.compile(tmp_path, *ONLY))
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    inputs = net.inputs()
    np.testing.assert_allclose(irrun.model.build(tmp_path / "net.xml")(inputs)[0], plain(inputs)[0], rtol=1e-5)
