"""Negative indices of a Gather before opset8: counted from the end where OpenVINO folds them, else zeros."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.tensor import Array
from irrun.tensor.element_type import BOOLEAN, F32, I64, U8
from tests.nets import Net

ROWS = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


def gathered(net: Net, data: Any, indices: Any, shape: str, opset: int, kind: Any = F32) -> None:
    attributes = {} if opset == 1 else {"batch_dims": 0}
    (output,) = net.layers("Gather", [data, indices, net.constant(0)], [(kind, shape)], opset, **attributes)
    net.result(output)


def ran(net: Net, folder: Path, inputs: dict[str, Array], times: int = 1) -> list[Array]:
    """Return the outputs of several runs, as written, optimised, and in low memory."""
    net.save(folder / "net.xml")
    found = []
    for config in ({"OPTIMIZE": False}, {}, {"LOW_MEMORY": True}):
        compiled = irrun.model.build(folder / "net.xml", config)
        found += [compiled(inputs)[0] for _ in range(times)]
    return found


def compatibility(folder: Path) -> list[str]:
    return [item.message for item in irrun.lint(folder / "net.xml", asked=["IR702"]) if item.code == "IR702"]


@pytest.mark.parametrize("opset", [1, 7])
@pytest.mark.parametrize("indices", [-1, [-1], [[-1]]])
def test_a_single_constant_counts_from_the_end_of_a_known_axis(tmp_path: Path, opset: int, indices: Any) -> None:
    net = Net()
    shape = ",".join(map(str, (*np.shape(indices), 4)))
    gathered(net, net.parameter("x", "3,4"), net.constant(indices), shape, opset)
    for output in ran(net, tmp_path, {"x": ROWS}):
        np.testing.assert_array_equal(output.reshape(-1), ROWS[2])
    assert compatibility(tmp_path) == []


@pytest.mark.parametrize(("sizes", "want"), [("2,3", [0, 0]), ("1,6", [6]), ("?,3", [0, 0]), ("1,?", [0])])
def test_the_axes_before_it_are_of_size_one(tmp_path: Path, sizes: str, want: list[float]) -> None:
    net = Net()
    rows = sizes.partition(",")[0]
    (last,) = net.layers("Gather", [net.parameter("x", sizes), net.constant(-1), net.constant(-1)], [(F32, rows)])
    net.result(last)
    x = np.arange(1, 7, dtype=np.float32).reshape(len(want), -1)
    for output in ran(net, tmp_path, {"x": x}, times=3):
        np.testing.assert_array_equal(output, want)


def test_batches_give_zeros(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("x", "1,4"), net.constant([-1]), net.constant(1)]
    net.result(*net.layers("Gather", inputs, [(F32, "1")], 7, batch_dims=1))
    for output in ran(net, tmp_path, {"x": ROWS[:1]}):
        np.testing.assert_array_equal(output, [0])


@pytest.mark.parametrize("opset", [1, 7])
@pytest.mark.parametrize(
    ("sizes", "indices", "want"),
    [("?,4", [-1], [0]), ("3,4", [-1, 1], [0, 5]), ("3,4", [-5], [0])],
    ids=["an axis of unknown size", "several", "before the first"],
)
def test_others_give_zeros(tmp_path: Path, opset: int, sizes: str, indices: list[int], want: list[float]) -> None:
    net = Net()
    gathered(net, net.parameter("x", sizes), net.constant(indices), f"{len(indices)},4", opset)
    for output in ran(net, tmp_path, {"x": ROWS}, times=4):
        np.testing.assert_array_equal(output[:, 0], want)


def test_those_that_are_told_when_the_model_runs_give_zeros(tmp_path: Path) -> None:
    net = Net()
    gathered(net, net.parameter("x", "3,4"), net.parameter("i", "2", I64), "2,4", 1)
    for output in ran(net, tmp_path, {"x": ROWS, "i": np.array([-1, 2])}):
        np.testing.assert_array_equal(output[:, 0], [0, 9])


def test_an_index_that_follows_from_sizes_is_constant(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "3,4")
    (sizes,) = net.layers("ShapeOf", [data], [(I64, "2")], 3, output_type="i64")
    (below,) = net.layers("Negative", [sizes], [(I64, "2")])
    (first,) = net.layers("Gather", [below, net.constant(0), net.constant(0)], [(I64, "")])
    gathered(net, data, first, "4", 1)
    for output in ran(net, tmp_path, {"x": ROWS}):
        np.testing.assert_array_equal(output, ROWS[0])


@pytest.mark.parametrize("stored", [F32, U8], ids=str)
def test_everything_constant(tmp_path: Path, stored: Any) -> None:
    net = Net()
    table = net.constant((np.arange(4096 * 32) % 251).reshape(4096, 32).astype(stored.dtype), stored)
    if stored is U8:
        table = net.layer("Convert", [table], "4096,32", destination_type="f32")
    (rows,) = net.layers("Gather", [table, net.constant([-1, -2]), net.constant(0)], [(F32, "2,32")])
    net.result(net.layer("Add", [rows, net.parameter("x", "1,32")], "2,32"))
    want = (np.arange(4096 * 32) % 251).reshape(4096, 32)[[-1, -2]]
    for output in ran(net, tmp_path, {"x": np.zeros((1, 32), np.float32)}):
        np.testing.assert_array_equal(output, want)
    assert compatibility(tmp_path) == []


@pytest.mark.parametrize("sizes", ["2,3,4", "?,3,4", "?,?,?"])
@pytest.mark.parametrize("opset", [1, 7])
def test_shape_arithmetic_counts_from_the_end(tmp_path: Path, sizes: str, opset: int) -> None:
    net = Net()
    data = net.parameter("x", sizes)
    (shape,) = net.layers("ShapeOf", [data], [(I64, "3")], 3, output_type="i64")
    gathered(net, shape, net.constant([-1, -2]), "2", opset, I64)
    for output in ran(net, tmp_path, {"x": np.zeros((2, 3, 4), np.float32)}, times=3):
        np.testing.assert_array_equal(output, [4, 3])


def test_the_lower_triangle_as_pytorch_exports_it(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "?,3,4")
    (shape,) = net.layers("ShapeOf", [data], [(I64, "3")], 3, output_type="i64")
    ends = []
    for axis in (-2, -1):
        (size,) = net.layers("Gather", [shape, net.constant(axis), net.constant(0)], [(I64, "")])
        (line,) = net.layers(
            "Range", [net.constant(0), size, net.constant(1)], [(I64, "3" if axis == -2 else "4")], 4, output_type="i64"
        )
        ends.append(line)
    (column,) = net.layers("Unsqueeze", [ends[0], net.constant(1)], [(I64, "3,1")])
    (below,) = net.layers("GreaterEqual", [column, ends[1]], [(BOOLEAN, "3,4")])
    kept = net.layer("Select", [below, data, net.constant(0.0)], "?,3,4")
    net.result(kept)
    x = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    for output in ran(net, tmp_path, {"x": x}, times=2):
        np.testing.assert_array_equal(output, np.tril(x))
    assert list(irrun.lint(tmp_path / "net.xml")) == []
    assert compatibility(tmp_path) == []


@pytest.mark.parametrize(
    ("sizes", "kind", "indices", "what"),
    [
        ("3,4", F32, [-1, 0], "gives zeros"),
        ("?,4", F32, [-1], "gives zeros"),
        ("3", I64, [-1, 0], "reads beyond its memory"),
    ],
)
def test_the_linter_tells_where_the_native_plugin_does_otherwise(
    tmp_path: Path, sizes: str, kind: Any, indices: list[int], what: str
) -> None:
    net = Net()
    rest = sizes.partition(",")[2]
    shape = f"{len(indices)},{rest}" if rest else f"{len(indices)}"
    gathered(net, net.parameter("x", sizes, kind), net.constant(indices), shape, 1, kind)
    net.save(tmp_path / "net.xml")
    message = f"OpenVINO's CPU plugin {what} for the negative indices of a Gather before opset8, such as -1"
    assert compatibility(tmp_path) == [message]
