from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import inferred_layers
from irrun.ops._declared.normalization.batch_norm_inference import (
    BatchNormInferenceV1,
    BatchNormInferenceV5,
)

_VARIANCE: Final = 4


class VarianceNotPositive(Rule):
    """A batch normalization divides by the square root of a variance that is zero or negative.

    ## What it does
    Checks the constant variances of each BatchNormInference. A sum of variance and `epsilon` that is not positive is a
    warning. A variance that only `epsilon` makes positive is an info: channels that are never active have it.

    ## Why is this bad
    The channel becomes infinite or NaN. The usual cause is a wrong order of the inputs.

    ## Example
    Variances `[1.0, 0.0]` and `epsilon="0"`.

    ## Use instead
    An epsilon such as 0.001, or the inputs in the order data, gamma, beta, mean, variance.
    """

    code = "IR605"
    name = "variance-not-positive"
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(context, "BatchNormInference"):
            op = item.node.op
            if not isinstance(op, BatchNormInferenceV1 | BatchNormInferenceV5):
                continue
            variance = item.inputs[_VARIANCE].constant
            if variance is None or variance.size == 0 or not variance.min() <= 0:
                continue
            least = float(variance.min())
            count = int(np.count_nonzero(variance <= 0))
            harmless = least + op.epsilon > 0
            yield self.report(
                item,
                f"{count} of {variance.size} variances {'is' if count == 1 else 'are'} not positive, "
                f"the least {least:g}; epsilon is {op.epsilon:g}",
                port=item.layer.inputs[_VARIANCE],
                severity=Severity.INFO if harmless else None,
            )
