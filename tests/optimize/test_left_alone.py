"""Layers beside attention that a kernel for it cannot take: the graph stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN
from tests.nets import Net
from tests.optimize.checking import check, types

Change = Callable[[Net, Handle], Handle]
SHAPE = "2,3,5,6"


def product(net: Net) -> Handle:
    return net.layer("MatMul", [net.parameter("q", "2,3,5,4"), net.parameter("k", "2,3,6,4")], transpose_b=True)


def attention(net: Net, scores: Handle, weights: Change = lambda _, x: x, stacks: str = "2,3") -> Handle:
    soft = net.layer("Softmax", [scores], opset=8, axis=-1, name="soft")
    return net.layer("MatMul", [weights(net, soft), net.parameter("v", f"{stacks},6,7")])


def seen(net: Net, name: str, shape: str) -> Handle:
    """A mask of booleans: where an input is above -0.5."""
    given = net.parameter(name, shape)
    return net.layers("Greater", [given, net.constant(np.float32(-0.5))], [(BOOLEAN, shape)])[0]


def select(net: Net, shape: str) -> Callable[[Handle, Handle], Handle]:
    mask = seen(net, "m", shape)
    return lambda a, b: net.layer("Select", [mask, a, b])


def masked_twice(net: Net, x: Handle) -> Handle:
    low = net.constant(np.float32(-9))
    once = select(net, "5,6")(x, low)
    return net.layer("Select", [seen(net, "n", "5,6"), once, low])


BEFORE: dict[str, tuple[Change, dict[str, int], str]] = {
    "a summand of more axes": (
        lambda net, x: net.layer("Add", [x, net.parameter("m", f"1,{SHAPE}")]),
        {"Add": 1},
        "1,2,3",
    ),
    "a summand that widens": (
        lambda net, x: net.layer(
            "Add", [net.layer("ReduceMax", [x, net.constant(np.array([3]))], keep_dims=True), net.parameter("m", SHAPE)]
        ),
        {"Add": 1, "ReduceMax": 1},
        "2,3",
    ),
    "a factor of each column": (
        lambda net, x: net.layer("Multiply", [x, net.parameter("m", "6")]),
        {"Multiply": 1},
        "2,3",
    ),
    "a filling of its own": (
        lambda net, x: select(net, "5,6")(x, net.parameter("f", "5,6")),
        {"Select": 1, "Greater": 1},
        "2,3",
    ),
    "a mask of the same shape only": (
        lambda net, x: net.layer(
            "Select",
            [seen(net, "m", SHAPE), x, net.constant(np.full((2, 3, 5, 6), -9, np.float32))],
            auto_broadcast="none",
        ),
        {"Select": 1, "Greater": 1},
        "2,3",
    ),
    "two masks": (masked_twice, {"Select": 2, "Greater": 2}, "2,3"),
    "a summand behind a mask": (
        lambda net, x: net.layer(
            "Add", [select(net, "5,6")(x, net.constant(np.float32(-9))), net.parameter("b", "5,6")]
        ),
        {"Select": 1, "Add": 1, "Greater": 1},
        "2,3",
    ),
}


@pytest.mark.parametrize("name", BEFORE)
def test_what_is_before_the_softmax(tmp_path: Path, name: str) -> None:
    change, kept, stacks = BEFORE[name]
    net = Net()
    net.result(attention(net, change(net, product(net)), stacks=stacks))
    counts = {"MatMul": 2, "SoftMax": 1}
    check(net, tmp_path, ["fuse-attention"], counts | kept)


def guarded(zero: float, *, other: bool = False, turned: bool = False) -> Change:
    """NaN becomes a number, or the elements of another tensor do."""

    def change(net: Net, x: Handle) -> Handle:
        (lost,) = net.layers("IsNaN", [x], [(BOOLEAN, SHAPE)], 10)
        instead = net.constant(np.float32(zero))
        rest = net.parameter("o", SHAPE) if other else x
        return net.layer("Select", [lost, *([rest, instead] if turned else [instead, rest])])

    return change


@pytest.mark.parametrize(
    ("weights", "kept"),
    [
        (guarded(0), {"FusedAttention": 1}),
        (guarded(1), {"MatMul": 2, "SoftMax": 1, "IsNaN": 1, "Select": 1}),
        (guarded(0, other=True), {"MatMul": 2, "SoftMax": 1, "IsNaN": 1, "Select": 1}),
        (guarded(0, turned=True), {"MatMul": 2, "SoftMax": 1, "IsNaN": 1, "Select": 1}),
    ],
    ids=["zero", "one", "another tensor", "the numbers that are kept"],
)
def test_what_replaces_nan(tmp_path: Path, weights: Change, kept: dict[str, int]) -> None:
    net = Net()
    net.result(attention(net, product(net), weights))
    check(net, tmp_path, ["fuse-attention"], kept)


@pytest.mark.parametrize(
    ("before", "between", "fused"), [("6", "2,3", True), ("2,3", "3,2", False), ("3,2", "6", False)]
)
def test_stacks_of_matrices(tmp_path: Path, before: str, between: str, fused: bool) -> None:
    """Heads may be split around the softmax, not joined or mixed."""

    def shaped(net: Net, x: Handle, stacks: str) -> Handle:
        sizes = [*map(int, stacks.split(",")), 5, 6]
        return net.layer("Reshape", [x, net.constant(np.array(sizes))], special_zero=False)

    net = Net()
    scores = net.layer(
        "MatMul", [net.parameter("q", f"{before},5,4"), net.parameter("k", f"{before},6,4")], transpose_b=True
    )
    soft = net.layer("Softmax", [shaped(net, scores, between)], opset=8, axis=-1)
    net.result(net.layer("MatMul", [shaped(net, soft, before), net.parameter("v", f"{before},6,7")]))
    kept = {"MatMul": 2, "SoftMax": 1, "Reshape": 2}
    found = types(net.compile(tmp_path, "fuse-attention"))
    assert (found["FusedAttention"] == 1) == fused
    check(net, tmp_path, ["fuse-attention"], dict(found) if fused else kept)
