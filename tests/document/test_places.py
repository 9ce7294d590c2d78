"""The place of an operation's error: its layer, the attribute or the input port that it names."""

from __future__ import annotations

import pytest

from irrun.diagnostics import Anchor, Diagnostic, OpError
from irrun.document import read
from irrun.document.places import op_diagnostic
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


def test_an_attribute_of_a_layer_without_data() -> None:
    assert op_diagnostic(OpError("wrong", attribute="min"), Y).anchor == Anchor(Y.element)
