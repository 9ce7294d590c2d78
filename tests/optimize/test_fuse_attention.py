"""Attention as one layer and as several layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN, F32
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-attention"]


def scores(net: Net, transposed: bool = True) -> Handle:
    key = net.parameter("k", "2,3,6,4" if transposed else "2,3,4,6")
    return net.layer("MatMul", [net.parameter("q", "2,3,5,4"), key], "2,3,5,6", transpose_b=transposed)


def attended(net: Net, data: Handle, axis: int = -1) -> Handle:
    weights = net.layer("SoftMax", [data], "2,3,5,6", 8, axis=axis)
    return net.layer("MatMul", [weights, net.parameter("v", "2,3,6,7")], "2,3,5,7")


@merged()
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("scale", ["Multiply", "Divide", "none"])
@pytest.mark.parametrize("mask", [(2, 1, 1, 6), (5, 6), (2, 3, 5, 6), None])
def test_written_out(tmp_path: Path, transposed: bool, scale: str, mask: tuple[int, ...] | None) -> None:
    net = Net()
    data = scores(net, transposed)
    if scale != "none":
        data = net.layer(scale, [data, net.constant(np.float32(0.5))], "2,3,5,6")
    if mask is not None:
        data = net.layer("Add", [data, net.parameter("m", ",".join(map(str, mask)))], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


@pytest.mark.parametrize("causal", [False, True])
def test_as_one_layer(tmp_path: Path, causal: bool) -> None:
    net = Net()
    inputs = [net.parameter("q", "2,3,5,4"), net.parameter("k", "2,3,6,4"), net.parameter("v", "2,3,6,7")]
    inputs += [net.parameter("m", "2,1,5,6"), net.constant(np.float32(0.3))]
    made = net.layer("ScaledDotProductAttention", inputs, "2,3,5,7", 13, causal=causal)
    joined = net.layer("Transpose", [made, net.constant(np.array([0, 2, 1, 3]))], "2,5,3,7")
    net.result(net.layer("Reshape", [joined, net.constant(np.array([2, 5, 21]))], "2,5,21", special_zero=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, "Transpose": 1, "Reshape": 1})


def test_queries_that_share_keys(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "2,4,5,4"), net.parameter("k", "2,1,6,4"), net.parameter("v", "2,1,6,7")]
    net.result(net.layer("ScaledDotProductAttention", inputs, "2,4,5,7", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_mask_of_booleans(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    row = net.parameter("m", "1,1,1,6")
    seen = net.layers("Greater", [row, net.constant(np.float32(-9))], [(BOOLEAN, "1,1,1,6")])
    net.result(net.layer("ScaledDotProductAttention", [*inputs, *seen], "1,2,5,7", 13, causal=False))
    check(net, tmp_path, ONLY, {"Greater": 1, "FusedAttention": 1})


def test_another_axis_of_the_softmax_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(attended(net, scores(net), 2))
    check(net, tmp_path, ONLY, {"MatMul": 2, "SoftMax": 1})


def test_scores_that_are_a_result_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = scores(net)
    net.result(data, attended(net, data))
    check(net, tmp_path, ONLY, {"MatMul": 2, "SoftMax": 1})


def test_a_mask_that_adds_a_batch(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    inputs.append(net.parameter("m", "3,1,5,6"))
    made = net.layers("ScaledDotProductAttention", inputs, [(F32, "3,2,5,7")], 13, causal=False)
    net.result(*made)
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


@pytest.mark.parametrize(("batch", "masks"), [(2, 2), (1, 1), (2, 1), (1, 2)])
def test_sizes_of_a_run(tmp_path: Path, batch: int, masks: int) -> None:
    net = Net()
    inputs = [net.parameter("q", "-1,2,-1,4"), net.parameter("k", "-1,2,-1,4"), net.parameter("v", "-1,2,-1,7")]
    inputs.append(net.parameter("m", "-1,1,-1,-1"))
    made = net.layers("ScaledDotProductAttention", inputs, [(F32, "-1,2,-1,7")], 13, causal=False)
    net.result(*made)
    sizes = {"q": (batch, 2, 5, 4), "k": (batch, 2, 6, 4), "v": (batch, 2, 6, 7), "m": (masks, 1, 5, 6)}
    check(net, tmp_path, ONLY, {"FusedAttention": 1}, sizes=sizes)


def test_large_heads_are_shared_between_threads(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter(name, "1,4,300,32") for name in "qkv"]
    net.result(net.layer("ScaledDotProductAttention", inputs, "1,4,300,32", 13, causal=True))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_scale_that_varies(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    inputs += [net.parameter("m", "1,1,5,6"), net.parameter("s", "1")]
    net.result(net.layer("ScaledDotProductAttention", inputs, "1,2,5,7", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_factor_that_varies(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Multiply", [scores(net), net.parameter("s", "1")], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"Multiply": 1, "FusedAttention": 1})


def test_values_that_are_transposed_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    weights = net.layer("SoftMax", [scores(net)], "2,3,5,6", 8, axis=-1)
    net.result(net.layer("MatMul", [weights, net.parameter("v", "2,3,7,6")], "2,3,5,7", transpose_b=True))
    check(net, tmp_path, ONLY, {"MatMul": 2, "SoftMax": 1})


def test_the_sum_of_two_products_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    other = net.layer("MatMul", [net.parameter("a", "2,3,5,4"), net.parameter("b", "2,3,4,6")], "2,3,5,6")
    net.result(attended(net, net.layer("Add", [scores(net), other], "2,3,5,6")))
    check(net, tmp_path, ONLY, {"MatMul": 3, "Add": 1, "SoftMax": 1})


def test_keys_without_a_batch_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "2,3,5,4"), net.parameter("k", "6,4")]
    net.result(attended(net, net.layer("MatMul", inputs, "2,3,5,6", transpose_b=True)))
    check(net, tmp_path, ONLY, {"MatMul": 2, "SoftMax": 1})


def test_tensors_of_any_rank_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter(name, "...") for name in "qkv"]
    net.result(net.layer("ScaledDotProductAttention", inputs, "...", 13, causal=False))
    sizes = {"q": (2, 5, 4), "k": (2, 6, 4), "v": (2, 6, 7)}
    check(net, tmp_path, ONLY, {"ScaledDotProductAttention": 1}, sizes=sizes)


def test_matrices_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "5,4"), net.parameter("k", "6,4"), net.parameter("v", "6,7")]
    data = net.layer("SoftMax", [net.layer("MatMul", inputs[:2], "5,6", transpose_b=True)], "5,6", 8, axis=-1)
    net.result(net.layer("MatMul", [data, inputs[2]], "5,7"))
    check(net, tmp_path, ONLY, {"MatMul": 2, "SoftMax": 1})


def test_a_mask_of_one_number(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Add", [scores(net), net.parameter("m", "")], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_sink_and_a_mask_of_nothing(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    inputs += [net.constant(np.float32(0)), net.constant(np.float32(0.3)), net.parameter("s", "1,2,1,1")]
    net.result(net.layer("ScaledDotProductAttention", inputs, "1,2,5,7", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def added(net: Net, data: Handle, *names: str) -> Handle:
    for name, shape in zip(names, ("1,3,5,6", "2,1,5,6", "5,6"), strict=False):
        data = net.layer("Add", [data, net.parameter(name, shape)], "2,3,5,6")
    return data


@pytest.mark.parametrize(("names", "left"), [("ab", {}), ("abc", {"Add": 1})])
def test_several_summands(tmp_path: Path, names: str, left: dict[str, int]) -> None:
    net = Net()
    net.result(attended(net, added(net, scores(net), *names)))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, **left})


@pytest.mark.parametrize("scale", ["Multiply", "Divide"])
def test_a_scale_behind_a_summand(tmp_path: Path, scale: str) -> None:
    net = Net()
    data = net.layer(scale, [added(net, scores(net), "a"), net.constant(np.float32(0.25))], "2,3,5,6")
    net.result(attended(net, net.layer("Add", [data, net.parameter("m", "5,6")], "2,3,5,6")))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, scale: 1})


@pytest.mark.parametrize("scale", ["Multiply", "Divide"])
def test_a_scale_of_each_head(tmp_path: Path, scale: str) -> None:
    net = Net()
    factor = net.constant(np.float32([2, 0.5, 3]).reshape(3, 1, 1))
    net.result(attended(net, net.layer(scale, [scores(net), factor], "2,3,5,6")))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, scale: 1})


def test_scales_before_the_product(tmp_path: Path) -> None:
    net = Net()
    sides = [
        net.layer("Multiply", [net.parameter(name, shape), net.constant(np.float32(0.7))], shape)
        for name, shape in (("q", "2,3,5,4"), ("k", "2,3,4,6"))
    ]
    net.result(attended(net, net.layer("MatMul", sides, "2,3,5,6")))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_cap(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Divide", [scores(net), net.constant(np.float32(5))], "2,3,5,6")
    data = net.layer("Multiply", [net.layer("Tanh", [data], "2,3,5,6"), net.constant(np.float32(5))], "2,3,5,6")
    net.result(attended(net, added(net, data, "a")))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


@pytest.mark.parametrize("hides", [False, True])
@pytest.mark.parametrize("filling", [-np.inf, np.finfo(np.float32).min])
def test_scores_that_are_replaced(tmp_path: Path, hides: bool, filling: float) -> None:
    net = Net()
    row = net.parameter("m", "2,1,1,6")
    (seen,) = net.layers("Less" if hides else "Greater", [row, net.constant(np.float32(0))], [(BOOLEAN, "2,1,1,6")])
    sides = [net.constant(np.float32(filling)), added(net, scores(net), "a")]
    data = net.layer("Select", [seen, *(sides if hides else sides[::-1])], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"Less" if hides else "Greater": 1, "FusedAttention": 1})


def test_weights_that_are_no_numbers(tmp_path: Path) -> None:
    net = Net()
    weights = net.layer("SoftMax", [added(net, scores(net), "a")], "2,3,5,6", 8, axis=-1)
    (unknown,) = net.layers("IsNaN", [weights], [(BOOLEAN, "2,3,5,6")], 10)
    guarded = net.layer("Select", [unknown, net.constant(np.float32(0)), weights], "2,3,5,6")
    net.result(net.layer("MatMul", [guarded, net.parameter("v", "2,3,6,7")], "2,3,5,7"))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def reshaped(net: Net, data: Handle, *shape: int) -> Handle:
    return net.layer("Reshape", [data, net.constant(np.array(shape))], ",".join(map(str, shape)), special_zero=False)


def test_heads_that_are_split_from_the_batch(tmp_path: Path) -> None:
    net = Net()
    sides = [net.parameter("q", "6,5,4"), net.parameter("k", "6,4,6")]
    data = net.layer("Add", [net.layer("MatMul", sides, "6,5,6"), net.parameter("a", "6,1,6")], "6,5,6")
    data = net.layer("Add", [reshaped(net, data, 2, 3, 5, 6), net.parameter("m", "2,1,5,6")], "2,3,5,6")
    weights = reshaped(net, net.layer("SoftMax", [data], "2,3,5,6", 8, axis=-1), 6, 5, 6)
    net.result(net.layer("MatMul", [weights, net.parameter("v", "6,6,7")], "6,5,7"))
    check(net, tmp_path, ONLY, {"FusedView": 5, "FusedAttention": 1})


def test_windows_that_are_split_from_the_batch(tmp_path: Path) -> None:
    net = Net()
    sides = [net.parameter("q", "8,3,5,4"), net.parameter("k", "8,3,4,6")]
    data = net.layer("Add", [net.layer("MatMul", sides, "8,3,5,6"), net.parameter("a", "1,3,5,6")], "8,3,5,6")
    data = net.layer("Add", [reshaped(net, data, 2, 4, 3, 5, 6), net.parameter("m", "1,4,1,5,6")], "2,4,3,5,6")
    weights = net.layer("SoftMax", [reshaped(net, data, 8, 3, 5, 6)], "8,3,5,6", 8, axis=-1)
    net.result(net.layer("MatMul", [weights, net.parameter("v", "8,3,6,7")], "8,3,5,7"))
    check(net, tmp_path, ONLY, {"FusedView": 5, "FusedAttention": 1})


def test_a_summand_that_adds_queries_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    sides = [net.parameter("q", "2,3,1,4"), net.parameter("k", "2,3,4,6")]
    data = net.layer("Add", [net.layer("MatMul", sides, "2,3,1,6"), net.parameter("a", "5,6")], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"MatMul": 2, "Add": 1, "SoftMax": 1})


def test_a_cap_behind_a_summand_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(attended(net, net.layer("Tanh", [added(net, scores(net), "a")], "2,3,5,6")))
    check(net, tmp_path, ONLY, {"MatMul": 2, "Add": 1, "Tanh": 1, "SoftMax": 1})
