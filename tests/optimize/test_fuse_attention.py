"""Attention as one layer and as several layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN, F32
from tests.optimize.nets import Net, check

ONLY = ["fuse-attention"]


def scores(net: Net, transposed: bool = True) -> Handle:
    key = net.parameter("k", "2,3,6,4" if transposed else "2,3,4,6")
    return net.layer("MatMul", [net.parameter("q", "2,3,5,4"), key], "2,3,5,6", transpose_b=transposed)


def attended(net: Net, data: Handle, axis: int = -1) -> Handle:
    weights = net.layer("SoftMax", [data], "2,3,5,6", 8, axis=axis)
    return net.layer("MatMul", [weights, net.parameter("v", "2,3,6,7")], "2,3,5,7")


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


def test_a_mask_that_adds_a_batch_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    inputs.append(net.parameter("m", "3,1,5,6"))
    made = net.layers("ScaledDotProductAttention", inputs, [(F32, "3,2,5,7")], 13, causal=False)
    net.result(*made)
    check(net, tmp_path, ONLY, {"ScaledDotProductAttention": 1})


def test_large_heads_are_shared_between_threads(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter(name, "1,4,300,32") for name in "qkv"]
    net.result(net.layer("ScaledDotProductAttention", inputs, "1,4,300,32", 13, causal=True))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_a_scale_that_varies_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("q", "1,2,5,4"), net.parameter("k", "1,2,6,4"), net.parameter("v", "1,2,6,7")]
    inputs += [net.parameter("m", "1,1,5,6"), net.parameter("s", "1")]
    net.result(net.layer("ScaledDotProductAttention", inputs, "1,2,5,7", 13, causal=False))
    check(net, tmp_path, ONLY, {"ScaledDotProductAttention": 1})


def test_a_factor_that_varies_is_left_alone(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Multiply", [scores(net), net.parameter("s", "1")], "2,3,5,6")
    net.result(attended(net, data))
    check(net, tmp_path, ONLY, {"MatMul": 2, "Multiply": 1, "SoftMax": 1})


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
    check(net, tmp_path, ONLY, {"MatMul": 2, "Add": 1, "SoftMax": 1})
