"""Forms of layers that a rule leaves alone, next to those that it reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.linter import lint
from irrun.linter.rule import rules
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I32, I64
from tests.nets import Net


def said(net: Net, folder: Path, code: str) -> list[tuple[str, str]]:
    """Return the severity and message of the findings of a rule; there are no errors."""
    net.save(folder / "net.xml")
    found = list(lint(folder / "net.xml", asked=rules()))
    assert [item.message for item in found if str(item.severity) == "error"] == []
    return [(str(item.severity), item.message) for item in found if item.code == code]


def pooled(net: Net) -> Handle:
    """Add an input f32[1,2,?,8], and windows of it whose number is not a formula of the size."""
    windows = {"kernel": "3,1", "strides": "2,1", "pads_begin": "0,0", "pads_end": "0,0", "auto_pad": "explicit"}
    inputs = [net.parameter("x", "1,2,3..9,8")]
    return net.layer("AvgPool", inputs, "1,2,1..4,8", **{"exclude-pad": "true"}, **windows)


def test_patterns_of_other_sizes(tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "?,3,4")
    net.result(net.layer("Reshape", [x, net.constant([-1, 4, 3])], "?,4,3", special_zero=False))
    net.result(net.layer("Reshape", [x, net.parameter("p", "2", I64)], "?,?", special_zero=False))
    net.result(net.layer("Reshape", [x, net.constant([2, 0, -1])], "2,3,?", special_zero=True))
    assert said(net, tmp_path, "IR406") == [
        ("info", "the constant pattern [2,0,-1] sets axis 0 to 2, where x[0] arrives; -1 infers the size")
    ]


def test_sizes_that_are_no_formula(tmp_path: Path) -> None:
    net = Net()
    data = pooled(net)
    net.result(net.layer("Reshape", [data, net.constant([1, 2, 32])], "1,2,32", special_zero=False))
    net.result(bounded(net, data, net.constant([0]), 3, 1, 2, "1,2,1..3,8"))
    assert said(net, tmp_path, "IR406") == []


@pytest.mark.parametrize(
    ("shape", "target", "mode", "result", "expected"),
    [
        ("?,3", [4, 3], "numpy", "4,3", [("info", "the constant target [4,3] fits only where x[0] is 1 or 4")]),
        ("?,3", [1, 3], "numpy", "1,3", [("warning", "the constant target [1,3] fits only where x[0] is 1")]),
        ("?,3", [1, 3], "bidirectional", "?,3", []),
        ("?,3", [3], "bidirectional", "?,3", []),
    ],
)
def test_targets_of_broadcasts(
    tmp_path: Path, shape: str, target: list[int], mode: str, result: str, expected: list[tuple[str, str]]
) -> None:
    net = Net()
    net.result(net.layer("Broadcast", [net.parameter("x", shape), net.constant(target)], result, 3, mode=mode))
    assert said(net, tmp_path, "IR406") == expected


def test_an_explicit_broadcast(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("x", "?"), net.constant([2, 5]), net.constant([1])]
    net.result(net.layer("Broadcast", inputs, "2,5", 3, mode="explicit"))
    assert said(net, tmp_path, "IR406") == []


def bounded(net: Net, data: Handle, start: Handle, stop: int, step: int, axis: int, shape: str) -> Handle:
    bounds = [start, net.constant([stop]), net.constant([step]), net.constant([axis])]
    return net.layer("Slice", [data, *bounds], shape, 8)


@pytest.mark.parametrize(("step", "shape", "expected"), [(1, "5,3", 1), (2, "3,3", 0)])
def test_steps_of_slices(tmp_path: Path, step: int, shape: str, expected: int) -> None:
    net = Net()
    data = net.parameter("x", "6..9,3")
    net.result(bounded(net, data, net.constant([0]), 5, step, 0, shape))
    found = said(net, tmp_path, "IR406")
    assert found == [("info", "the constant stop [5] cuts axis 0 to 5, where x[0] arrives")] * expected


def test_bounds_that_are_not_constant(tmp_path: Path) -> None:
    net = Net()
    net.result(bounded(net, net.parameter("x", "6..9,3"), net.parameter("s", "1", I64), 5, 1, 0, "0..5,3"))
    assert said(net, tmp_path, "IR406") == []


def test_tables_of_positions(tmp_path: Path) -> None:
    """A table of 16 rows is cut to 6: what meets it, along which of several paths, decides."""
    for end in ("sum", "both", "reduced", "alone", "other"):
        net = Net()
        x = net.parameter("x", "1,?,4")
        table = net.constant(np.arange(64, dtype=np.float32).reshape(1, 16, 4))
        cut = bounded(net, table, net.constant([0]), 6, 1, 1, "1,6,4")
        if end == "sum":
            net.result(net.layer("Add", [x, cut], "1,6,4"))
        elif end == "both":
            twice = net.layer("Add", [net.layer("Sin", [cut], "1,6,4"), cut], "1,6,4")
            net.result(net.layer("Multiply", [x, twice], "1,6,4"))
        elif end == "reduced":
            net.result(
                net.layer(
                    "Add", [x, net.layer("ReduceSum", [cut, net.constant([1])], "1,1,4", keep_dims=True)], "1,?,4"
                )
            )
        elif end == "alone":
            net.result(net.layer("Add", [net.parameter("y", "1,6,4"), cut], "1,6,4"))
        else:
            wide = net.layer("Transpose", [x, net.constant([0, 2, 1])], "1,4,?")
            net.result(net.layer("MatMul", [wide, cut], "1,4,4"), net.layer("Abs", [x], "1,?,4"))
        expected = [("warning", "the constant stop [6] fits only where x[1] is 1 or 6")]
        assert said(net, tmp_path, "IR406") == (expected if end in ("sum", "both") else []), end


@pytest.mark.parametrize(
    ("low", "high", "levels", "expected"),
    [
        (
            [[0.0], [1.0]],
            [[0.0], [2.0]],
            256,
            [("warning", "input_low and input_high are equal in 1 of 2 places; OpenVINO's CPU plugin gives NaN")],
        ),
        (
            0.5,
            0.5,
            2,
            [
                (
                    "info",
                    "input_low and input_high are equal in 1 of 1 places, both 0.5; OpenVINO's CPU plugin gives NaN",
                )
            ],
        ),
        (0.0, 1.0, 256, []),
        (None, 1.0, 256, []),
    ],
)
def test_ranges_of_quantization(
    tmp_path: Path, low: object, high: object, levels: int, expected: list[tuple[str, str]]
) -> None:
    net = Net()
    below = net.parameter("low", "") if low is None else net.constant(np.array(low, np.float32))
    limits = [below, net.constant(np.array(high, np.float32)), *(net.constant(np.float32(at)) for at in (0, 1))]
    net.result(net.layer("FakeQuantize", [net.parameter("x", "2,3"), *limits], "2,3", levels=levels))
    assert said(net, tmp_path, "IR606") == expected


def test_constants_that_grow(tmp_path: Path) -> None:
    """Only the first layer counts, and only where nothing arrives at run time."""
    net = Net()
    size = net.constant([65536, 65536])
    wide = net.layer("Broadcast", [net.constant(np.float32(1)), size], "65536,65536", 3, mode="numpy")
    net.result(net.layer("Sin", [wide], "65536,65536"))
    net.result(net.layer("Broadcast", [net.parameter("x", ""), size], "65536,65536", 3, mode="numpy"))
    assert said(net, tmp_path, "IR904") == [
        ("warning", "f32[65536,65536] takes 16 GiB and follows from constants alone")
    ]


def variable(net: Net, name: str, written: str, *, twice: bool = False) -> None:
    """Add a variable that is read under one name and written under another."""
    fact = Fact(F32, Shape([1, 2]))
    for index in range(2 if twice else 1):
        data = {"variable_id": name, "variable_type": "f32", "variable_shape": "1,2"}
        (read,) = net.ir.layer("ReadValue", "opset6", [net.parameter(f"{name}{index}", "1,2")], [fact], data)
        if written:
            net.ir.layer("Assign", "opset6", [read], [fact], {"variable_id": written})
        net.result(read)


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("state", "state", []),
        ("state", "stat", [("warning", 'no ReadValue reads the variable "stat"; did you mean state?')]),
        ("state", "xyz", [("warning", 'no ReadValue reads the variable "xyz"; ReadValue reads "state"')]),
        ("state", "", [("info", 'no Assign writes the variable "state"')]),
    ],
)
def test_pairs_of_variables(tmp_path: Path, name: str, written: str, expected: list[tuple[str, str]]) -> None:
    net = Net()
    variable(net, name, written)
    assert said(net, tmp_path, "IR214") == expected


def test_a_product_of_narrow_integers_is_no_scale(tmp_path: Path) -> None:
    net = Net()
    zeros = net.constant(np.zeros((2, 3), np.int32), I32)
    data = net.parameter("x", "2,3", I32)
    net.result(*net.layers("Multiply", [data, zeros], [(I32, "2,3")]))
    assert said(net, tmp_path, "IR605") == []


def test_slices_of_any_rank(tmp_path: Path) -> None:
    net = Net()
    net.result(bounded(net, net.parameter("x", "..."), net.constant([0]), 5, 1, 0, "..."))
    net.result(net.layer("Abs", [net.parameter("y", "?")], "?"))
    assert said(net, tmp_path, "IR406") == []


@pytest.mark.parametrize(
    ("count", "through"),
    [
        (2, '"l0" → "l1"'),
        (5, '"l0" → "l1" → "l2" → "l3" → "l4"'),
        (7, '"l0" → "l1" → … → "l5" → "l6"'),
    ],
)
def test_the_way_from_an_input(tmp_path: Path, count: int, through: str) -> None:
    net = Net()
    data = net.parameter("x", "?,3,4")
    for _ in range(count):
        data = net.layer("Abs", [data], "?,3,4")
    net.result(net.layer("Reshape", [data, net.constant([1, 12])], "1,12", special_zero=False))
    net.save(tmp_path / "net.xml")
    text = (tmp_path / "net.xml").read_text()
    for index in range(count):
        text = text.replace(f'name="Abs_{index + 1}"', f'name="l{index}"')
    (tmp_path / "net.xml").write_text(text)
    (found,) = [item for item in lint(tmp_path / "net.xml", asked=rules()) if item.code == "IR406"]
    assert found.notes[1] == f'x[0] is a dynamic dim of "x" through {through}'


@pytest.mark.parametrize("kind", ["ReadValue", "Assign"])
def test_two_ends_of_a_variable(tmp_path: Path, kind: str) -> None:
    net = Net()
    fact = Fact(F32, Shape([1, 2]))
    data = {"variable_id": "state", "variable_type": "f32", "variable_shape": "1,2"}
    reads = [
        net.ir.layer("ReadValue", "opset6", [net.parameter(f"x{index}", "1,2")], [fact], data)[0]
        for index in range(2 if kind == "ReadValue" else 1)
    ]
    for index in range(2 if kind == "Assign" else 1):
        net.ir.layer("Assign", "opset6", [net.parameter(f"y{index}", "1,2")], [fact], {"variable_id": "state"})
    net.result(*reads)
    ((severity, message),) = said(net, tmp_path, "IR214")
    known = "a ReadValue already, layer 1" if kind == "ReadValue" else "an Assign already, layer 3"
    assert severity == "warning"
    assert message.startswith(f'the variable "state" has {known} "')
    assert message.endswith(", expected one")


def test_scales_through_views_and_of_integers(tmp_path: Path) -> None:
    net = Net()
    zeros = net.layer(
        "Reshape", [net.constant(np.zeros(3, np.float32)), net.constant([1, 3])], "1,3", special_zero=False
    )
    net.result(net.layer("Divide", [net.parameter("x", "2,3"), zeros], "2,3"))
    net.result(net.layer("Divide", [net.parameter("z", "2,3"), net.parameter("w", "2,3")], "2,3"))
    net.result(*net.layers("Divide", [net.parameter("y", "3", I64), net.constant([0, 1, 2])], [(I64, "3")]))
    assert said(net, tmp_path, "IR608") == [
        ("warning", "3 of 3 divisors are 0: quotients become infinite, or NaN where the dividend is 0")
    ]
