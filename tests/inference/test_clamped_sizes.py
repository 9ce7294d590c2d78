"""Clamp of sizes keeps what is known of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.model.loaded import load
from irrun.tensor import UNBOUNDED
from tests.nets import Net


@pytest.mark.parametrize(
    ("shape", "bounds", "expected"),
    [
        ("4,?,6", (0, 5), [(4, 4), (0, 5), (5, 5)]),
        ("1..9,?,6", (2, 1e300), [(2, 9), (2, UNBOUNDED), (6, 6)]),
        ("1..9,3,6", (-1e300, 4.9), [(1, 4), (3, 3), (4, 4)]),
        ("?,3,6", (2.5, 7), [(3, 7), (3, 3), (6, 6)]),
    ],
)
def test_bounds(tmp_path: Path, shape: str, bounds: tuple[float, float], expected: list[tuple[int, int]]) -> None:
    net = Net()
    sizes = net.layer("ShapeOf", [net.parameter("x", shape)], opset=3, output_type="i64")
    clamped = net.layer("Clamp", [sizes], min=bounds[0], max=bounds[1])
    net.result(net.layer("Broadcast", [net.constant(1.0), clamped], opset=3, mode="numpy"))
    (output,) = load(net.save(tmp_path / "net.xml")).outputs
    assert [(dim.lo, dim.hi) for dim in output.partial_shape] == expected
