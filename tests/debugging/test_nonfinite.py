"""The places where NaN and infinity begin, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.debugging.nonfinite import causes_of
from irrun.graph import Node
from irrun.model import load
from tests.cases import f32
from tests.nets import Net


def node(folder: Path, type: str, count: int, shape: str = "2,2", opset: int = 1, **attributes: Any) -> Node:
    net = Net()
    inputs = [net.parameter(f"x{number}", shape) for number in range(count)]
    net.result(net.layer(type, inputs, opset=opset, name="made", **attributes))
    model = load(net.save(folder / "net.xml"))
    return next(node for node in model.graph.ordered() if node.name == "made")


NAN = f32([[1, np.nan], [2, 3]])
ROWS = f32([[0, 1], [-np.inf, -np.inf]])


@pytest.mark.parametrize(
    ("type", "opset", "inputs", "expected"),
    [
        ("Divide", 1, [NAN, f32([[1, 0], [0, 2]])], "the divisor, input 1, is 0 in 2 elements, first at [0,1]"),
        ("Divide", 1, [NAN, f32([[1, 2], [3, 4]])], "first at [0,1]: input 0 is nan, input 1 is 2"),
        ("Power", 1, [NAN, np.array([[1, 2], [3, 4]])], "first at [0,1]: input 0 is nan, input 1 is 2"),
        ("Power", 1, [NAN, np.array(["a"])], "first at [0,1]: input 0 is nan"),
        ("Power", 1, [NAN, None], "first at [0,1]: input 0 is nan"),
        ("Power", 1, [NAN, f32([1, 2, 3])], "first at [0,1]: input 0 is nan"),
        ("Softmax", 8, [ROWS], "input 0 is -Inf throughout in row [1]"),
        ("Softmax", 8, [f32([[0, 1], [np.nan, 0]])], "first at [0,1]: input 0 is 1"),
    ],
)
def test_causes(type: str, opset: int, inputs: list[Any], expected: str, tmp_path: Path) -> None:
    made = node(tmp_path, type, len(inputs), opset=opset, **({"axis": -1} if type == "Softmax" else {}))
    assert causes_of(made, inputs, [NAN], np.isnan) == (expected,)


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (np.array([[True, True], [False, False]]), "the mask, input 3, hides all keys of query [1]"),
        (f32([[-np.inf, -np.inf], [-np.inf, -np.inf]]), "the mask, input 3, hides all keys of query [0], of 2 such"),
        (f32(0), "first at [0,1]"),
        (f32([[0, 0], [0, -np.inf]]), "first at [0,1]"),
    ],
)
def test_what_a_mask_hides(mask: Any, expected: str, tmp_path: Path) -> None:
    made = node(tmp_path, "ScaledDotProductAttention", 4, "2,2,2", 13, causal=False)
    x = np.ones((2, 2, 2), np.float32)
    (text,) = causes_of(made, [x, x, x, mask], [NAN], np.isnan)
    assert text.startswith(expected)
