"""Passes that remove, fold, or replace single layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor import ElementType, Shape
from irrun.tensor.element_type import F16, F32, I32, I64
from tests.nets import Net
from tests.optimize.checking import check, types


def test_needless_layers_are_removed(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("ReLU", [net.parameter("x", "2,3")], "2,3")
    data = net.layer("Convert", [data], "2,3", destination_type="f32")
    data = net.layer("Reshape", [data, net.constant(np.array([0, -1]))], "2,3", special_zero=True)
    data = net.layer("Transpose", [data, net.constant(np.array([0, 1]))], "2,3")
    net.result(net.layer("Identity", [data], "2,3", 16))
    check(net, tmp_path, ["remove-needless"], {"ReLU": 1})


def sliced(net: Net, data: Handle, start: int, stop: Handle | None = None) -> Handle:
    bounds = [net.constant(np.array([start])), stop or net.constant(np.array([4])), net.constant(np.array([1]))]
    return net.layer("Slice", [data, *bounds, net.constant(np.array([1]))], f"2,{4 - start}", 8)


def test_equal_layers_are_computed_once(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,4")
    pairs = [net.layer("ReLU", [sliced(net, data, start)], f"2,{4 - start}") for start in (1, 1, 2)]
    net.result(net.layer("Concat", pairs, "2,8", axis=1), pairs[1])
    check(net, tmp_path, ["merge-duplicates"], {"Slice": 2, "ReLU": 2, "Concat": 1})


def test_outputs_of_equal_layers_are_told_apart(tmp_path: Path) -> None:
    net = Net()
    data, axis = net.parameter("x", "2,4"), net.constant(np.array(1))
    outputs = [(F32, "2,2"), (F32, "2,2")]
    first, second = (net.layers("Split", [data, axis], outputs, num_splits=2) for _ in range(2))
    net.result(net.layer("Subtract", [first[0], second[1]], "2,2"), second[0])
    check(net, tmp_path, ["merge-duplicates"], {"Split": 1, "Subtract": 1})


def test_layers_that_differ_are_not_merged(tmp_path: Path) -> None:
    net = Net()
    data, other = net.parameter("x", "2,4"), net.parameter("y", "2,4")
    alpha = [net.constant(np.float32(value)) for value in (0.5, 0.25)]
    made = [net.layer("Elu", [data], "2,4", alpha=value) for value in (1.0, 2.0)]
    made += [net.layer("PReLU", [data, each], "2,4") for each in alpha]
    made += [net.layer("Subtract", [*pair], "2,4") for pair in ((data, other), (other, data))]
    net.result(*made)
    check(net, tmp_path, ["merge-duplicates"], {"Elu": 2, "PReLU": 2, "Subtract": 2})


def test_random_layers_are_not_merged(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.constant(np.array([1000])), net.constant(np.float32(0)), net.constant(np.float32(1))]
    seeds = {"output_type": "f32", "global_seed": 0, "op_seed": 0, "alignment": "pytorch"}
    made = [net.layer("RandomUniform", inputs, "1000", 8, **seeds) for _ in range(2)]
    net.result(net.layer("Add", [net.layer("Subtract", made, "1000"), net.parameter("x", "1000")], "1000"))
    assert types(net.compile(tmp_path, "merge-duplicates"))["RandomUniform"] == 2


def test_a_factor_of_one_is_left_out_of_a_swish(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,3")
    net.result(*(net.layer("Swish", [data, net.constant(np.float32(beta))], "2,3", 4) for beta in (1, 2)))
    compiled = check(net, tmp_path, ["remove-needless"], {"Swish": 2})
    assert sorted(sum(slot != 0 for slot in step.inputs) for step in compiled.plan.steps) == [1, 2]


def test_what_changes_type_shape_or_order_stays(tmp_path: Path) -> None:
    net = Net()
    square = net.parameter("x", "3,3")
    transposed = net.layer("Transpose", [square, net.constant(np.array([1, 0]))], "3,3")
    double = net.layer("Reshape", [transposed, net.constant(np.array([9]))], "9", special_zero=False)
    net.result(*net.layers("Convert", [double], [(I64, "9")], destination_type="i64"))
    check(net, tmp_path, ["remove-needless"], {"Transpose": 1, "Reshape": 1, "Convert": 1})


def test_a_reshape_of_unknown_sizes_stays(tmp_path: Path) -> None:
    net = Net()
    data, shape = net.parameter("x", "?,?"), net.parameter("s", "2", I64)
    net.result(net.layer("Reshape", [data, shape], "?,?", special_zero=False))
    alone = net.compile(tmp_path, "remove-needless")
    got = alone({"x": np.arange(6, dtype=np.float32).reshape(2, 3), "s": np.array([3, 2])})[0]
    np.testing.assert_array_equal(got, np.arange(6, dtype=np.float32).reshape(3, 2))


def test_shape_arithmetic_is_settled_where_sizes_are_known(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "2,3,4")
    sizes = net.layers("ShapeOf", [data], [(I64, "3")], 3, output_type="i64")
    picks = [net.constant(np.array([0])), net.constant(np.array(0))]
    first = net.layers("Gather", [*sizes, *picks], [(I64, "1")], 8, batch_dims=0)
    shape = net.layers("Concat", [*first, net.constant(np.array([-1]))], [(I64, "2")], axis=0)
    net.result(net.layer("Reshape", [data, *shape], "2,12", special_zero=False))
    check(net, tmp_path, ["fold-known-values"], {"Reshape": 1})


def pooled(net: Net) -> list[Handle]:
    attributes = {
        "strides": "2,2",
        "dilations": "1,1",
        "pads_begin": "1,1",
        "pads_end": "0,1",
        "kernel": "3,2",
        "rounding_type": "ceil",
        "auto_pad": "explicit",
        "index_element_type": "i64",
        "axis": 0,
    }
    outputs = [(F32, "1,2,5,5"), (I64, "1,2,5,5")]
    return net.layers("MaxPool", [net.parameter("x", "1,2,9,8")], outputs, 8, **attributes)


def test_indices_that_nobody_takes_are_not_computed(tmp_path: Path) -> None:
    net = Net()
    net.result(pooled(net)[0])
    check(net, tmp_path, ["pool-values-only"], {"FusedMaxPool": 1})


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("type", [F32, I32])
def test_pooling_that_knows_no_indices(tmp_path: Path, channels_last: bool, type: ElementType) -> None:
    net = Net()
    shape = "2,9,8,3" if channels_last else "2,3,9,8"
    data = net.parameter("x", shape)
    if type is not F32:
        data = net.layers("Convert", [data], [(type, shape)], destination_type=type.name)[0]
    if channels_last:
        data = net.layers("Transpose", [data, net.constant(np.array([0, 3, 1, 2]))], [(type, "2,3,9,8")])[0]
    attributes: dict[str, Any] = {
        "strides": "2,1",
        "pads_begin": "1,1",
        "pads_end": "1,1",
        "kernel": "3,3",
        "auto_pad": "explicit",
    }
    net.result(*net.layers("MaxPool", [data], [(type, "2,3,5,8")], **attributes))
    others = ({"Transpose": 1} if channels_last else {}) | ({} if type is F32 else {"Convert": 1})
    check(net, tmp_path, ["pool-values-only"], {"FusedMaxPool": 1} | others)


def test_indices_that_somebody_takes_are_computed(tmp_path: Path) -> None:
    net = Net()
    net.result(*pooled(net))
    check(net, tmp_path, ["pool-values-only"], {"MaxPool": 1})


def test_half_precision_is_computed_in_f32_and_fused(tmp_path: Path) -> None:
    net = Net()
    data = net.ir.parameter("x", F16, Shape.parse("2,3"))
    half = [(F16, "2,3")]
    weights = net.constant(np.full((3, 3), 0.3, np.float32), F16)
    made = net.layers("MatMul", [data, weights], half)
    net.result(*net.layers("Tanh", net.layers("Add", [*made, *made], half), half))
    compiled = net.compile(tmp_path)
    assert types(compiled) == {"FusedMatMul": 1, "FusedElementwise": 1}


def test_shapes_and_orders_that_are_known_are_read_once(tmp_path: Path) -> None:
    net = Net()
    data = net.layer(
        "Reshape", [net.parameter("x", "2,12"), net.constant(np.array([0, -1, 4]))], "2,3,4", special_zero=True
    )
    data = net.layer("Transpose", [data, net.constant(np.array([-1, 0, 1]) % 3)], "4,2,3")
    data = net.layer("Unsqueeze", [data, net.constant(np.array([1, -1]))], "4,1,2,3,1")
    net.result(net.layer("Squeeze", [data, net.constant(np.array([1]))], "4,2,3,1"))
    check(net, tmp_path, ["precompute-views"], {"FusedView": 3})


def test_a_reshape_of_sizes_that_are_not_known_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "?,4")
    net.result(net.layer("Reshape", [data, net.constant(np.array([4, -1]))], "4,?", special_zero=False))
    check(net, tmp_path, ["precompute-views"], {"Reshape": 1}, sizes={"x": (3, 4)})


@pytest.mark.parametrize("kind", ["MatMul", "Convolution", "Tanh", "Erf", "MVN"])
def test_layers_of_constants_that_a_result_takes(tmp_path: Path, kind: str) -> None:
    net = Net()
    data = net.normal(1, 2, 6, 6)
    if kind == "MatMul":
        made, shape = net.layer("MatMul", [data, net.normal(6, 6)], "1,2,6,6"), "1,2,6,6"
    elif kind == "Convolution":
        made, shape = net.convolution(data, net.normal(3, 2, 3, 3), "1,3,4,4"), "1,3,4,4"
    elif kind == "MVN":
        attributes = {"eps": 1e-6, "eps_mode": "inside_sqrt", "normalize_variance": True}
        made, shape = net.layer("MVN", [data, net.constant(np.array([2, 3]))], "1,2,6,6", 6, **attributes), "1,2,6,6"
    else:
        made, shape = net.layer(kind, [data], "1,2,6,6"), "1,2,6,6"
    net.result(made, net.layer("Add", [net.parameter("x", shape), made], shape))
    compiled, plain = net.compile(tmp_path), net.compile(tmp_path, OPTIMIZE=False)
    inputs = net.inputs()
    for result, expected in zip(compiled(inputs).to_tuple(), plain(inputs).to_tuple(), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)
