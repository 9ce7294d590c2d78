"""A CumSum of booleans counts, as exporters mean it: a Convert of the sums is the number of true elements so far."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.linter import lint
from tests.nets import Net


@pytest.mark.parametrize("optimize", [True, False])
def test_converted_sums_are_counts(tmp_path: Path, optimize: bool) -> None:
    net = Net()
    x = net.parameter("x", "1,?", "boolean")
    sums = net.layer("CumSum", [x, net.constant(1)], opset=3)
    counts = net.layer("Convert", [sums], destination_type="i64")
    net.result(sums, counts, net.layer("LogicalNot", [sums]))
    model = net.compile(tmp_path, OPTIMIZE=optimize)
    assert not [item for item in lint(tmp_path / "net.xml") if item.code != "IR707"]
    results = model([np.array([[False, True, False, True, True]])])
    assert [results[index].tolist() for index in range(3)] == [
        [[False, True, True, True, True]],
        [[0, 1, 1, 2, 3]],
        [[True, False, False, False, False]],
    ]
    many = model([np.ones((1, 300), bool)])
    assert many[0].all()
    assert many[1][0, -1] == 300


def test_constants_are_counted(tmp_path: Path) -> None:
    net = Net()
    flags = net.constant([True, False, True], "boolean")
    sums = net.layer("CumSum", [flags, net.constant(0)], opset=3)
    net.result(net.layer("Add", [net.layer("Convert", [sums], destination_type="i64"), net.parameter("x", "3", "i64")]))
    assert net.compile(tmp_path)([np.zeros(3, np.int64)])[0].tolist() == [1, 1, 2]
