from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, OpError
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, inferred_layers
from irrun.tensor.element_type import I32, I64

MOST_ELEMENTS: Final = 4096

_ALONG_AXES: Final = ("ReduceSum", "ReduceProd", "CumSum")
_TYPES: Final = ("Add", "Subtract", "Multiply", *_ALONG_AXES)


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
    explains = ("invalid-operation", "IR4", "IR9")

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(context, *_TYPES):
            number = _beyond(item) if item.outputs[0].type in (I32, I64) else None
            if number is not None:
                type = item.outputs[0].type
                yield self.report(
                    item,
                    f"{number} does not fit into {type} and becomes {_wrapped(number, type.bits)}",
                    at=Anchor(item.layer.element, "attribute", "type"),
                )


def _beyond(item: InferredLayer) -> int | None:
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


def _absent(item: InferredLayer) -> list[None]:
    """Return placeholders for absent optional inputs."""
    return [] if item.node.op is None else [None] * (len(item.node.op.inputs) - len(item.inputs))


def _wrapped(number: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half
