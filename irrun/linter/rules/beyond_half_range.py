from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.linter.constants import PAIR, constants
from irrun.linter.contents import floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule

_HALF: Final = (
    PAIR.replace('"f32" shape="2" offset="0" size="8"', '"f32" shape="" offset="0" size="4"')
    .replace('precision="FP32"><dim>2</dim></port>', 'precision="FP32"/>')
    .replace('"i64" shape="1" offset="8"', '"f16" shape="4" offset="4"')
    .replace('precision="I64"><dim>1</dim>', 'precision="FP16"><dim>4</dim>')
)


class BeyondHalfRange(Rule):
    """A constant of a model in half precision is beyond the range of f16.

    ## What it does
    Reports f32 and f64 constants with a finite element beyond 65504, in models most of whose constant elements are f16.
    The severity is info, with one finding for the whole file. With `--target-precision f16`, each of these constants is
    a warning in any model.

    ## Why is this bad
    OpenVINO keeps the constant in f32, but a device that computes in f16 turns it into infinity.

    ## Example
    A mask of -3.4e38 beside weights of f16.

    ## Use instead
    -65504 as a lower bound.
    """

    code = "IR604"
    name = "beyond-half-range"
    opt_in = True
    severity = Severity.INFO
    stage = "weights"
    weights = struct.pack("<f4e4x", -3.4e38, 1.0, 1.0, 1.0, 1.0)
    good = (_HALF.replace('"f32"', '"i32"').replace("FP32", "I32"),)
    bad = (_HALF,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        aimed = context.target_precision == "f16"
        if not aimed and not _is_half(context):
            return
        found = [(item, counted) for item, counted in floats(context) if counted.largest > 65504]
        for item, counted in found if aimed else found[:1]:
            more = 0 if aimed else len(found) - 1
            yield Diagnostic(
                self.code,
                f"{counted.largest:.6g} is the largest magnitude, f16 ends at 65504",
                Anchor(item.layer.element),
                Severity.WARNING if aimed else self.severity,
                layer_ref(item.layer),
                notes=(
                    *((f"{more} more constant{'s reach' if more > 1 else ' reaches'} beyond it",) if more else ()),
                    *path_notes(item.path),
                ),
            )


def _is_half(context: Context) -> bool:
    found = constants(context)
    if not any(item.type == "f16" for item in found):
        return False
    half = sum(item.op.shape.size.lo for item in found if item.type == "f16")
    return half > sum(item.op.shape.size.lo for item in found if item.type in ("f32", "f64"))
