"""Rotary embeddings, and what only looks like them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import F32
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-rotary"]


def halves(net: Net, x: Handle, shape: str, first: int, rest: int) -> list[Handle]:
    lengths = net.constant(np.array([first, rest]))
    outputs = [(F32, f"{shape},{each}") for each in (first, rest)]
    return net.layers("VariadicSplit", [x, net.constant(np.array(-1)), lengths], outputs)


def turned(net: Net, x: Handle, shape: str, first: int, rest: int, *, negated: int = 1) -> Handle:
    parts = halves(net, x, shape, first, rest)
    sizes = [first, rest]
    parts[negated] = net.layer("Negative", [parts[negated]], f"{shape},{sizes[negated]}")
    return net.layer("Concat", parts[::-1], f"{shape},{first + rest}", axis=-1)


def rotated(net: Net, first: int, rest: int, *, negated: int = 1, type: str = "Add", factors: str = "1,1,5") -> None:
    shape = f"2,3,5,{first + rest}"
    x = net.parameter("x", shape)
    cos, sin = (net.parameter(name, f"{factors},{first + rest}") for name in ("cos", "sin"))
    other = turned(net, x, "2,3,5", first, rest, negated=negated)
    products = [net.layer("Multiply", pair, shape) for pair in ([x, cos], [other, sin])]
    net.result(net.layer(type, products, shape))


@merged()
@pytest.mark.parametrize("half", [1, 8, 33])
@pytest.mark.parametrize("factors", ["1,1,5", "5", "2,3,5", "2,1,1"])
def test_both_halves_at_once(tmp_path: Path, half: int, factors: str) -> None:
    net = Net()
    rotated(net, half, half, factors=factors)
    check(net, tmp_path, ONLY, {"FusedRotary": 1})


LEFT = {"VariadicSplit": 1, "Negative": 1, "Concat": 1, "Multiply": 2}


@pytest.mark.parametrize(
    ("first", "rest", "negated", "type"),
    [(3, 5, 1, "Add"), (4, 4, 0, "Add"), (4, 4, 1, "Subtract")],
    ids=["unequal parts", "the first half is negated", "a difference"],
)
def test_other_sums_are_left_alone(tmp_path: Path, first: int, rest: int, negated: int, type: str) -> None:
    net = Net()
    rotated(net, first, rest, negated=negated, type=type)
    check(net, tmp_path, ONLY, LEFT | {type: 1})


def test_products_that_others_read_stay(tmp_path: Path) -> None:
    net = Net()
    shape = "2,3,5,8"
    x, cos, sin = (net.parameter(name, shape) for name in ("x", "cos", "sin"))
    product = net.layer("Multiply", [x, cos], shape)
    other = net.layer("Multiply", [turned(net, x, "2,3,5", 4, 4), sin], shape)
    net.result(net.layer("Add", [product, other], shape))
    net.result(net.layer("Abs", [product], shape))
    check(net, tmp_path, ONLY, LEFT | {"Add": 1, "Abs": 1})


def test_transposed_rows(tmp_path: Path) -> None:
    """Heads come from a product as [batch, rows, heads, size]."""
    net = Net()
    given = net.layer("Reshape", [net.parameter("x", "2,5,24"), net.constant(np.array([2, 5, 3, 8]))], "2,5,3,8")
    x = net.layer("Transpose", [given, net.constant(np.array([0, 2, 1, 3]))], "2,3,5,8")
    cos, sin = (net.parameter(name, "1,1,5,8") for name in ("cos", "sin"))
    products = [
        net.layer("Multiply", [x, cos], "2,3,5,8"),
        net.layer("Multiply", [turned(net, x, "2,3,5", 4, 4), sin], "2,3,5,8"),
    ]
    net.result(net.layer("Add", products, "2,3,5,8"))
    check(net, tmp_path, ONLY, {"Reshape": 1, "Transpose": 1, "FusedRotary": 1})
