from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.records import PortElement, element_type
from irrun.linter.constants import Constant, constants
from irrun.linter.context import Context
from irrun.linter.declared import shape_of
from irrun.linter.rule import Rule
from irrun.ops._declared.infrastructure.const import WrongSize
from irrun.tensor import ElementType
from irrun.tensor.packing import storage_size

EMPTY: Final = 1
"""The size in bytes that OpenVINO writes for an empty constant."""


class WrongConstantSize(Rule):
    """The size of a constant does not match its shape and type.

    ## What it does
    Compares the attribute `size` with the number of bytes that the shape and the element type need. OpenVINO refuses
    fewer bytes, and ignores surplus ones. Surplus bytes are an error where the output port declares this size, so that
    the shape or the type is wrong; a warning where they overlap another constant; and an info otherwise.

    ## Why is this bad
    OpenVINO says `Attribute and shape size are inconsistent for Const op!430, 432, 432`, or reads a tensor of another
    shape.

    ## Example
    `element_type="f32" shape="2" size="4"`

    ## Use instead
    `element_type="f32" shape="2" size="8"`
    """

    code = "IR503"
    name = "wrong-constant-size"
    opt_in = True
    faults = (WrongSize,)
    explains = ("invalid-operation", "IR4", "IR6", "IR9")

    def check(self, context: Context) -> Iterator[Diagnostic]:
        weights = context.document.weights
        for item in constants(context):
            op = item.op
            is_beyond = weights.exists and op.offset + op.size > len(weights.bytes)
            if op.size > max(op.needed, EMPTY) and not is_beyond:
                yield self.report(
                    item,
                    f"size is {op.size} bytes, expected {op.needed} for {op.element_type}{op.shape}",
                    at=Anchor(item.layer.data_element, "value", "size"),
                    severity=_severity(item),
                )


def _severity(item: Constant) -> Severity:
    """Return the severity for a constant with surplus bytes."""
    if any(_declared_bytes(port, item.op.element_type) == item.op.size for port in item.layer.outputs):
        return Severity.ERROR
    return Severity.WARNING if item.end - item.start < item.op.size else Severity.INFO


def _declared_bytes(port: PortElement, otherwise: ElementType) -> int:
    """Return the size in bytes of the tensor that a port declares; ``otherwise`` replaces an absent precision."""
    type = element_type(port.precision) or otherwise
    return storage_size(type.name, shape_of(port).size.lo) if type.bits else 0
