from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import constant_nodes, inferred_layers
from irrun.ops._declared.quantization.fake_quantize import FakeQuantize


class EmptyQuantizationRange(Rule):
    """The input limits of a FakeQuantize are equal.

    ## What it does
    Compares the constant limits `input_low` and `input_high` of each FakeQuantize, element by element. The severity is
    info where equal limits may be intended: with two levels, which makes them a threshold, and for constant weights
    that are all 0.

    ## Why is this bad
    The scale is zero. By the specification the result is one of the two output limits. OpenVINO follows it for
    constants, but its CPU plugin otherwise computes NaN.

    ## Example
    `input_low` and `input_high` both 0, as after a calibration without data.

    ## Use instead
    The limits of a calibration with data.
    """

    code = "IR606"
    name = "empty-quantization-range"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(context, "FakeQuantize"):
            if not isinstance(item.node.op, FakeQuantize):
                continue
            low, high = item.inputs[1].constant, item.inputs[2].constant
            if low is None or high is None:
                continue
            try:
                equal = np.equal(low, high)
            except ValueError:
                continue
            if not equal.any():
                continue
            count = int(np.count_nonzero(equal))
            folded = item.node.id in constant_nodes(item.scope.graph)
            gives = "constants there become one of the output limits" if folded else "OpenVINO's CPU plugin gives NaN"
            values = "" if equal.size > 1 else f", both {float(low.reshape(-1)[0]):g}"
            yield self.report(
                item,
                f"input_low and input_high are equal in {count} of {equal.size} places{values}; {gives}",
                port=item.layer.inputs[1],
                severity=Severity.INFO if folded or item.node.op.levels == 2 else None,
            )
