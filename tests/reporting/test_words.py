"""Explanations of layers whose tensors are known only at run time."""

from __future__ import annotations

from typing import Any

import pytest

from irrun.document.writer import Writer
from irrun.model import load
from irrun.ops.registry import resolve
from irrun.reporting.explain import explain
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64

F = F32
SUMMARY = "the summary of the operation"
WINDOW = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}


def words(
    type: str, version: str, made: str, inputs: list[tuple[Any, str]], **data: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is said of a layer whose inputs are Parameters of these types and shapes."""
    ir = Writer("one")
    given = [ir.parameter(f"x{place}", kind, Shape.parse(shape)) for place, (kind, shape) in enumerate(inputs)]
    (out,) = ir.layer(type, version, given, [Fact(F32, Shape.parse(made))], data, name="it")
    ir.result(out, "y")
    found = explain(load(ir.text.encode(), ir.weights), "it")
    return found.computes, found.shapes


CASES: dict[str, tuple[Any, ...]] = {
    "Transpose": (
        "opset1",
        "?,?",
        [(F, "2,3"), (I64, "2")],
        {},
        ("The axes in another order, which is computed at run time.",),
        (),
    ),
    "Gather": ("opset8", "?,?", [(F, "2,3"), (I64, "?"), (I64, "")], {}, (SUMMARY,), ()),
    "StridedSlice": (
        "opset1",
        "?,?",
        [(F, "2,3"), (I64, "2"), (I64, "2")],
        {"begin_mask": "0,0", "end_mask": "0,0"},
        (SUMMARY,),
        ("[2,3] becomes [0..2,0..3]; the limits are known at run time",),
    ),
    "Split": ("opset1", "?,?", [(F, "2,4"), (I64, "")], {"num_splits": "1"}, (SUMMARY,), ()),
    "Pad": (
        "opset12",
        "?,?",
        [(F, "2,3"), (I64, "2"), (I64, "2")],
        {"pad_mode": "edge"},
        None,
        ("how many is computed at run time",),
    ),
    "Convolution": ("opset1", "1,?,?,?", [(F, "1,3,8,8"), (F, "...")], WINDOW, (SUMMARY,), ()),
    "ConvolutionBackpropData": ("opset1", "1,?,?,?", [(F, "1,3,8,8"), (F, "...")], WINDOW, (SUMMARY,), ()),
}


@pytest.mark.parametrize("type", CASES)
def test_what_only_a_run_tells(type: str) -> None:
    version, made, inputs, data, computes, shapes = CASES[type]
    found = words(type, version, made, inputs, **data)
    summary = resolve(type, version).spec.summary
    if computes is not None:
        assert found[0] == tuple(summary if text == SUMMARY else text for text in computes)
    assert found[1] == shapes


def test_a_layer_of_a_library() -> None:
    """Only the file tells something of it."""
    ir = Writer("one")
    x = ir.parameter("x", F32, Shape([2]))
    (out,) = ir.layer("Mystery", "extension", [x], [Fact(F32, Shape([2]))], {"depth": "3"}, name="it")
    ir.result(out, "y")
    found = explain(load(ir.text.encode(), ir.weights), "it")
    assert [(item.name, item.value) for item in found.attributes] == [("depth", "3")]
    assert [item.name for item in found.inputs] == [""]
    assert found.computes[0].endswith("The shapes of the outputs are those that the file declares.")
