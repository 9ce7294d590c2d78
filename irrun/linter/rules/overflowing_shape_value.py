from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, OpError
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Made, made
from irrun.tensor.element_type import I32, I64

MOST_ELEMENTS: Final = 4096

_ALONG_AXES: Final = ("ReduceSum", "ReduceProd", "CumSum")
_TYPES: Final = ("Add", "Subtract", "Multiply", *_ALONG_AXES)

_PRODUCT: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="sizes" type="Const" version="opset1">
            <data element_type="i32" shape="2" offset="0" size="8"/>
            <output><port id="0" precision="I32"><dim>2</dim></port></output>
        </layer>
        <layer id="1" name="axis" type="Const" version="opset1">
            <data element_type="i32" shape="1" offset="8" size="4"/>
            <output><port id="0" precision="I32"><dim>1</dim></port></output>
        </layer>
        <layer id="2" name="count" type="ReduceProd" version="opset1">
            <data keep_dims="true"/>
            <input>
                <port id="0" precision="I32"><dim>2</dim></port>
                <port id="1" precision="I32"><dim>1</dim></port>
            </input>
            <output><port id="2" precision="I32"><dim>1</dim></port></output>
        </layer>
        <layer id="3" name="y" type="Result" version="opset1">
            <input><port id="0" precision="I32"><dim>1</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    </edges>
</net>
"""


class OverflowingShapeValue(Rule):
    """A sum or a product in shape arithmetic overflows its type.

    ## What it does
    Recomputes Add, Subtract, Multiply, ReduceSum, ReduceProd and CumSum of i32 and i64 with unlimited precision, where
    all inputs are known: constants, fixed sizes, and values computed from them. Faults at later layers caused by the
    wrong value are not reported.

    ## Why is this bad
    The number wraps around, so that a reshape gets a negative size, or one that fits by chance. Malicious files use
    this.

    ## Example
    A ReduceProd of the i32 sizes `[65536, 65536]`, which results in 0.

    ## Use instead
    i64.
    """

    code = "IR408"
    name = "overflowing-shape-value"
    stage = "facts"
    weights = struct.pack("<3i", 65536, 65536, 0)
    good = (_PRODUCT.replace("ReduceProd", "ReduceSum"),)
    bad = (_PRODUCT,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in made(context, *_TYPES):
            layer = item.node.layer
            number = _beyond(item) if item.outputs[0].type in (I32, I64) else None
            if number is not None and layer is not None:
                type = item.outputs[0].type
                yield Diagnostic(
                    self.code,
                    f"{number} does not fit into {type} and becomes {_wrapped(number, type.bits)}",
                    Anchor(layer.element, "attribute", "type"),
                    self.severity,
                    layer_ref(layer),
                    notes=path_notes(item.scope.path),
                )


def _beyond(item: Made) -> int | None:
    """Return the first exact element of the result that its type cannot hold; None where there is none."""
    arrays = [fact.constant for fact in item.inputs]
    known = [array for array in arrays if array is not None]
    if item.node.op is None or len(known) < len(arrays) or sum(array.size for array in known) > MOST_ELEMENTS:
        return None
    data = 1 if item.node.type in _ALONG_AXES else len(known)
    unbounded = [array.astype(object) for array in known[:data]]
    try:
        exact = np.asarray(item.node.op.run(*unbounded, *known[data:], *_absent(item)))
    except (OpError, ValueError, IndexError):
        return None
    bound = 1 << (item.outputs[0].type.bits - 1)
    return next((int(number) for number in exact.reshape(-1).tolist() if not -bound <= number < bound), None)


def _absent(item: Made) -> list[None]:
    """Return placeholders for absent optional inputs."""
    return [] if item.node.op is None else [None] * (len(item.node.op.inputs) - len(item.inputs))


def _wrapped(number: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half
