"""Convolutions of the same tensor joined into one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.ops._declared.fused.fused_products import FusedConvolution
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-convolution", "join-convolutions"]


def branch(net: Net, data: Handle, filters: int, activation: str | None = "ReLU", bias: bool = True) -> Handle:
    """Add a branch with a 1x1 kernel over [2, 6, 9, 8]."""
    shape = f"2,{filters},9,8"
    made = net.convolution(data, net.normal(filters, 6, 1, 1), shape)
    made = net.layer("Add", [made, net.normal(1, filters, 1, 1)], shape) if bias else made
    return made if activation is None else net.layer(activation, [made], shape, 4 if activation == "Swish" else 1)


def data(net: Net, shape: str = "2,6,9,8") -> Handle:
    return net.layer("Sigmoid", [net.parameter("x", shape)], shape)


@pytest.mark.parametrize("activation", ["ReLU", "Swish", "Sigmoid", None])
def test_branches_of_a_block(tmp_path: Path, activation: str | None) -> None:
    net = Net()
    x = data(net)
    a, b, c = (branch(net, x, filters, activation) for filters in (4, 7, 2))
    deep = net.convolution(b, net.normal(5, 7, 3, 3), "2,5,7,6")
    wide = net.convolution(c, net.normal(3, 2, 1, 1), "2,3,9,8")
    net.result(net.layer("Concat", [a, b, wide], "2,14,9,8", axis=1), deep)
    compiled = check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 3, "FusedChannels": 3, "Concat": 1})
    ops = [step.node.op for step in compiled.plan.steps if isinstance(step.node.op, FusedConvolution)]
    assert sorted(op.weights.shape[1] for op in ops) == [3, 5, 13]
    assert len(ops[0].parts) == (9 if activation is not None else 6)


def test_branches_of_a_branch(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    a, b = branch(net, x, 6), branch(net, x, 6)
    net.result(a, branch(net, b, 4), branch(net, b, 3))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 2, "FusedChannels": 4})


def test_without_bias_in_some(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    net.result(branch(net, x, 4, bias=False), branch(net, x, 3), branch(net, x, 5, bias=False))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 1, "FusedChannels": 3})


def test_each_activation_by_itself(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    net.result(*(branch(net, x, 4, kind) for kind in ("ReLU", "Sigmoid", "ReLU", None, "Sigmoid", "Tanh")))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 4, "FusedChannels": 4})


def test_bounds_that_differ_are_not_joined(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    made = [branch(net, x, 4, None) for _ in range(2)]
    net.result(*(net.layer("Clamp", [y], "2,4,9,8", min=0, max=top) for y, top in zip(made, (1, 6), strict=True)))
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 2})


def test_sizes_that_are_not_known(tmp_path: Path) -> None:
    net = Net()
    x = data(net, "?,6,?,?")
    made = [net.convolution(x, net.normal(filters, 6, 1, 1), f"?,{filters},?,?") for filters in (4, 3)]
    net.result(*(net.layer("ReLU", [y], f"?,{filters},?,?") for y, filters in zip(made, (4, 3), strict=True)))
    want = {"Sigmoid": 1, "FusedConvolution": 1, "FusedChannels": 2}
    for size in (5, 8):
        check(net, tmp_path, ONLY, want, sizes={"x": (2, 6, size, size + 1)})


def test_other_kernels_windows_and_tensors_stay(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    far = net.layer(
        "Convolution",
        [x, net.normal(4, 6, 1, 1)],
        "2,4,5,4",
        strides="2,2",
        dilations="1,1",
        pads_begin="0,0",
        pads_end="0,0",
        auto_pad="valid",
    )
    other = net.convolution(net.layer("Tanh", [x], "2,6,9,8"), net.normal(4, 6, 1, 1), "2,4,9,8")
    wide = [net.convolution(x, net.normal(4, 6, 3, 3), "2,4,7,6") for _ in range(2)]
    net.result(branch(net, x, 4, None), far, other, *wide)
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "Tanh": 1, "FusedConvolution": 5})


def test_summands_and_groups_stay(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    added = [net.layer("Add", [branch(net, x, 6, None), x], "2,6,9,8") for _ in range(2)]
    groups = [net.convolution(x, net.normal(2, 4, 3, 1, 1), "2,8,9,8", "GroupConvolution") for _ in range(2)]
    net.result(*added, *groups)
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 4})


def test_a_reader_that_wants_its_channels_together_keeps_its_convolution(tmp_path: Path) -> None:
    net = Net()
    x = data(net)
    a, b, c = (branch(net, x, 4) for _ in range(3))
    flat = net.layer("Reshape", [b, net.constant(np.array([2, 288]))], "2,288", special_zero=False)
    net.result(a, flat, c)
    check(net, tmp_path, ONLY, {"Sigmoid": 1, "FusedConvolution": 2, "FusedChannels": 2, "Reshape": 1})
