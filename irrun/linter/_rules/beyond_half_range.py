from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.constants import constants
from irrun.linter.contents import ZERO_HALF, floats, vanishing
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class BeyondHalfRange(Rule):
    """A constant of a model in half precision is beyond the range of f16.

    ## What it does
    Reports f32 and f64 constants with a finite element beyond 65504, in models most of whose constant elements are f16.
    The severity is info, with one finding for the whole file. With `--target-precision f16`, each of these constants is
    a warning in any model. Small constants, such as an epsilon, all of whose elements become 0 or subnormal in f16 are
    reported in the same way.

    ## Why is this bad
    OpenVINO keeps the constant in f32, but a device that computes in f16 turns it into infinity, or into zero: a
    normalisation then divides by zero where its input is constant.

    ## Example
    A mask of -3.4e38 beside weights of f16. An epsilon of 1e-12.

    ## Use instead
    -65504 as a lower bound, 1e-5 as an epsilon.
    """

    code = "IR604"
    name = "beyond-half-range"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        aimed = context.settings.target_precision == "f16"
        if not aimed and not _is_half(context):
            return
        found = [(item, counted) for item, counted in floats(context) if counted.largest > 65504]
        small = list(vanishing(context))
        for item, magnitude in small if aimed else small[:1]:
            becomes = "becomes 0" if magnitude <= ZERO_HALF else "is subnormal"
            more = 0 if aimed else len(small) - 1
            yield self.report(
                item,
                f"{magnitude:.6g} is the largest magnitude, which {becomes} in f16",
                severity=Severity.WARNING if aimed else None,
                notes=(f"{more} more constant{'s are' if more > 1 else ' is'} as small",) if more else (),
            )
        for item, counted in found if aimed else found[:1]:
            more = 0 if aimed else len(found) - 1
            yield self.report(
                item,
                f"{counted.largest:.6g} is the largest magnitude, f16 ends at 65504",
                severity=Severity.WARNING if aimed else None,
                notes=(f"{more} more constant{'s reach' if more > 1 else ' reaches'} beyond it",) if more else (),
            )


def _is_half(context: Context) -> bool:
    found = constants(context)
    if not any(item.type == "f16" for item in found):
        return False
    half = sum(item.op.shape.size.lo for item in found if item.type == "f16")
    return half > sum(item.op.shape.size.lo for item in found if item.type in ("f32", "f64"))
