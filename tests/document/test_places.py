"""The place of an operation's error: its layer, the attribute or the input port that it names."""

from __future__ import annotations

import pytest

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, OpError, Suggestion
from irrun.document import read
from irrun.document.faults import UnreadableDim
from irrun.document.places import in_layer, op_diagnostic
from tests.linter.models import NET

X, CLIP, Y = read(NET.encode()).net.layers


def test_an_operation_that_is_in_no_file() -> None:
    found = op_diagnostic(OpError("wrong"), None, notes=("input 0: f32 [1]",))
    assert found == Diagnostic(OpError.code, "wrong", notes=("input 0: f32 [1]",))


@pytest.mark.parametrize(
    ("error", "anchor", "port"),
    [
        (OpError("wrong"), Anchor(CLIP.element, "attribute", "type"), None),
        (OpError("wrong", attribute="min"), Anchor(CLIP.data_element, "value", "min"), None),
        (OpError("wrong", attribute="mode"), Anchor(CLIP.data_element, "tag", "mode"), None),
        (OpError("wrong", input=0), Anchor(CLIP.inputs[0].element), "0"),
        (OpError("wrong", input=1), Anchor(CLIP.element, "attribute", "type"), None),
    ],
)
def test_place(error: OpError, anchor: Anchor, port: str | None) -> None:
    found = op_diagnostic(error, CLIP)
    assert (found.anchor, found.port) == (anchor, port)


@pytest.mark.parametrize(
    ("error", "suggestion"),
    [
        (OpError("wrong", attribute="min", meant="0"), Suggestion(Anchor(CLIP.data_element, "value", "min"), "0")),
        (OpError("wrong", attribute="mode", meant="x"), Suggestion(Anchor(CLIP.data_element, "tag", "mode"), "x")),
        (OpError("wrong", meant="Clamp"), Suggestion(Anchor(CLIP.element, "value", "type"), "Clamp")),
        (OpError("wrong", input=0, meant="0"), None),
        (OpError("wrong", attribute="min"), None),
    ],
)
def test_what_was_meant_is_suggested_for_an_attribute(error: OpError, suggestion: Suggestion | None) -> None:
    found = op_diagnostic(error, CLIP, ("a", "b"), ("note",))
    assert found == Diagnostic(
        error.code,
        "wrong",
        found.anchor,
        layer=LayerRef("1", "clip", "Clamp", "opset1"),
        port="0" if error.input == 0 else None,
        notes=("note", "in a › b"),
        suggestion=suggestion,
    )


def test_a_fault_in_a_layer() -> None:
    fault, anchor = UnreadableDim(text="x"), Anchor(CLIP.inputs[0].element)
    found = in_layer(fault, anchor, CLIP, ("body",), "0")
    layer = LayerRef("1", "clip", "Clamp", "opset1")
    assert found == Diagnostic("IR108", fault.message, anchor, layer=layer, port="0", notes=("in body",))
    assert in_layer(fault, anchor, CLIP._replace(version=None), ()).layer == layer._replace(version="")


def test_an_attribute_of_a_layer_without_data() -> None:
    assert op_diagnostic(OpError("wrong", attribute="min"), Y).anchor == Anchor(Y.element)
