"""Types that the specification excludes and OpenVINO computes: booleans that count, floats as axes, and others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.linter import lint
from irrun.ops.declaration import TypeVar
from irrun.ops.registry import declarations
from irrun.tensor import ElementType
from tests.lab.conformance import other_types
from tests.nets import Net

TOP = {"axis": 0, "mode": "max", "sort": "index"}
POOL = {"strides": (1,), "pads_begin": (0,), "pads_end": (0,), "kernel": (2,)}
SCALED = {"normalize_variance": True}
SPARSE: list[tuple[object, str]] = [([0], "boolean"), ([2, 2], "i64"), ([[0, 1]], "i64"), (1, "boolean")]
SCATTERED: list[tuple[object, str]] = [([0, 0], "f32"), ([1, 0], "boolean"), ([5, 6], "f32"), (0, "i64")]
QUANTIZED: list[tuple[object, str]] = [([0, 0.5, 1], "f32"), (0, "f32"), (1, "f32"), (0, "i32"), (4, "u16")]
BOXES: list[tuple[object, str]] = [
    ([[[0, 0, 1, 1], [0, 2, 1, 3]]], "f32"),
    ([[[0.5, 0.25]]], "f32"),
    (1.75, "f32"),
    (0.5, "f32"),
    (0.0, "f32"),
]


@pytest.mark.parametrize("optimize", [True, False])
def test_converted_sums_are_counts(tmp_path: Path, optimize: bool) -> None:
    net = Net()
    x = net.parameter("x", "1,?", "boolean")
    sums = net.layer("CumSum", [x, net.constant(1)], opset=3)
    counts = net.layer("Convert", [sums], destination_type="i64")
    net.result(sums, counts, net.layer("LogicalNot", [sums]))
    model = net.compile(tmp_path, OPTIMIZE=optimize)
    assert not [item for item in lint(tmp_path / "net.xml") if item.code != "IR707"]
    assert [item.code for item in lint(tmp_path / "net.xml", codes=["IR317"], asked=["IR317"])] == ["IR317"]
    results = model([np.array([[False, True, False, True, True]])])
    assert [results[index].tolist() for index in range(3)] == [
        [[False, True, True, True, True]],
        [[0, 1, 1, 2, 3]],
        [[True, False, False, False, False]],
    ]
    many = model([np.ones((1, 300), bool)])
    assert many[0].all()
    assert many[1][0, -1] == 300


EACH: list[tuple[str, int | str, list[tuple[object, str]], dict[str, object], list[object]]] = [
    ("MatMul", 1, [([[1, 1, 0]], "boolean"), ([[1], [1], [1]], "boolean")], {}, [[[True]]]),
    ("TopK", 11, [([0, 1, 0, 1], "boolean"), (2, "i64")], TOP, [[True, True], [1, 3]]),
    ("Elu", 1, [([0, 1], "boolean")], {"alpha": 2.0}, [[False, True]]),
    ("PReLU", 1, [([-2, -4, 5], "f32"), ([1, 0, 1], "boolean")], {}, [[-2, 0, 5]]),
    ("Round", 5, [([0, 1], "boolean")], {}, [[False, True]]),
    ("MaxPool", 1, [([[[0, 0, 1]]], "boolean")], {**POOL, "rounding_type": "floor"}, [[[[False, True]]]]),
    ("SearchSorted", 15, [([0, 0, 1], "boolean"), ([1, 0], "boolean")], {}, [[2, 0]]),
    ("SegmentMax", 16, [([1, 0, 1], "boolean"), ([0, 0, 2], "i64")], {"fill_mode": "lowest"}, [[True, False, True]]),
    ("EmbeddingBagPackedSum", 3, [([[1], [0]], "boolean"), ([[0, 0], [1, 1]], "i64")], {}, [[[True], [False]]]),
    ("SparseFillEmptyRows", 16, SPARSE, {}, [[[0, 1], [1, 0]], [False, True], [False, True]]),
    ("ScatterElementsUpdate", 3, SCATTERED, {}, [[6, 5]]),
    ("LogicalNot", 1, [([0, 2, -0.5], "f32")], {}, [[1, 0, 0]]),
    ("LogicalNot", 1, [([0, 2], "i8")], {}, [[1, 0]]),
    ("Squeeze", 1, [([[3], [4]], "f32"), ([1.7], "f32")], {}, [[3, 4]]),
    ("Unsqueeze", 1, [([3, 4], "f32"), ([-1.5], "f16")], {}, [[[3], [4]]]),
    ("VariadicSplit", 1, [([3, 4, 5], "f32"), (0.9, "f64"), ([1.9, -1], "f32")], {}, [[3], [4, 5]]),
    ("NormalizeL2", 1, [([[3, 4]], "f32"), ([1.2], "bf16")], {"eps": 0.0, "eps_mode": "add"}, [[[0.6, 0.8]]]),
    ("MVN", 6, [([[3, 5]], "f32"), ([1], "boolean")], {**SCALED, "eps": 0.0, "eps_mode": "inside_sqrt"}, [[[-1, 1]]]),
    ("AdaptiveMaxPool", 8, [([[[1, 0, 0, 0]]], "boolean"), ([2.0], "f32")], {}, [[[[True, False]]], [[[0, 2]]]]),
    ("FakeQuantize", 1, QUANTIZED, {"levels": 3}, [[0, 2, 4]]),
    ("CTCGreedyDecoderSeqLen", 6, [([[[0, 1], [1, 0]]], "f32"), ([1], "u16"), (0, "i64")], {}, [[[1, -1]], [1]]),
    ("NonMaxSuppression", 9, BOXES, {}, [[[0, 0, 0]], [[0, 0, 0.5]], [1]]),
]


@pytest.mark.parametrize("row", EACH, ids=lambda row: f"{row[0]} of {row[2][-1][1]}")
def test_each_is_computed(tmp_path: Path, row: tuple[str, int, list[Any], dict[str, object], list[Any]]) -> None:
    type, opset, inputs, attributes, expected = row
    net = Net()
    data, *rest = [(np.asarray(values), ElementType.named(name)) for values, name in inputs]
    handles = [net.parameter("x", ",".join(map(str, data[0].shape)), data[1]), *(net.constant(*pair) for pair in rest)]
    net.result(*net.layers(type, handles, len(expected), opset=opset, **attributes))
    results = net.compile(tmp_path)([data[0].astype(data[1].external)])
    for index, values in enumerate(expected):
        np.testing.assert_allclose(results[index], values, rtol=1e-6)


def test_refused_types_have_reasons() -> None:
    """A type is computed, or it is in the table of those that are refused: never both."""
    specs = {cls.spec.type: cls.spec for cls in declarations()}
    for row in other_types.REFUSED:
        ports = [port for type in row.operations for port in specs[type].inputs if port.name == row.port]
        for port in ports:
            among = port.type.among if isinstance(port.type, TypeVar) else port.type
            assert not {ElementType.named(name) for name in row.types} & {*among, *port.also}, port.name


def test_constants_are_counted(tmp_path: Path) -> None:
    net = Net()
    flags = net.constant([True, False, True], "boolean")
    sums = net.layer("CumSum", [flags, net.constant(0)], opset=3)
    net.result(net.layer("Add", [net.layer("Convert", [sums], destination_type="i64"), net.parameter("x", "3", "i64")]))
    assert net.compile(tmp_path)([np.zeros(3, np.int64)])[0].tolist() == [1, 1, 2]
