from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import made
from irrun.ops.normalization.batch_norm_inference import (
    BatchNormInferenceV1,
    BatchNormInferenceV5,
)

_VARIANCE: Final = 4
_LAYERS: Final = "".join(
    f"""<layer id="{id}" name="{name}" type="Const" version="opset1">
            <data element_type="f32" shape="2" offset="{offset}" size="8"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        """
    for id, name, offset in (
        (1, "gamma", 0),
        (2, "beta", 0),
        (3, "mean", 0),
        (4, "variance", 8),
    )
)
_EDGES: Final = "".join(f'<edge from-layer="{id}" from-port="0" to-layer="5" to-port="{id}"/>' for id in range(5))
_SIZES: Final = "<dim>1</dim><dim>2</dim><dim>3</dim><dim>3</dim>"
_LISTS: Final = "".join(f'<port id="{id}" precision="FP32"><dim>2</dim></port>' for id in range(1, 5))

_NORM: Final = f"""<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="1,2,3,3" element_type="f32"/>
            <output><port id="0" precision="FP32">{_SIZES}</port></output>
        </layer>
        {_LAYERS}<layer id="5" name="norm" type="BatchNormInference" version="opset5">
            <data epsilon="0"/>
            <input><port id="0" precision="FP32">{_SIZES}</port>{_LISTS}</input>
            <output><port id="5" precision="FP32">{_SIZES}</port></output>
        </layer>
        <layer id="6" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32">{_SIZES}</port></input>
        </layer>
    </layers>
    <edges>
        {_EDGES}
        <edge from-layer="5" from-port="5" to-layer="6" to-port="0"/>
    </edges>
</net>
"""


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
    stage = "weights"
    weights = struct.pack("<ffff", 1.0, 2.0, 1.0, 0.0)
    good = (
        _NORM.replace('offset="8"', 'offset="0"')
        .replace('shape="2" offset="0" size="8"', 'shape="1" offset="0" size="4"')
        .replace("<dim>2</dim></port>", "<dim>1</dim></port>")
        .replace("1,2,3,3", "1,1,3,3")
        .replace(_SIZES, _SIZES.replace("<dim>2", "<dim>1")),
    )
    bad = (_NORM,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in made(context, "BatchNormInference"):
            op = item.node.op
            if not isinstance(op, BatchNormInferenceV1 | BatchNormInferenceV5) or item.node.layer is None:
                continue
            variance = item.inputs[_VARIANCE].constant
            if variance is None or variance.size == 0 or not variance.min() <= 0:
                continue
            layer = item.node.layer
            least = float(variance.min())
            count = int(np.count_nonzero(variance <= 0))
            harmless = least + op.epsilon > 0
            yield Diagnostic(
                self.code,
                f"{count} of {variance.size} variances {'is' if count == 1 else 'are'} not positive, "
                f"the least {least:g}; epsilon is {op.epsilon:g}",
                Anchor(layer.inputs[_VARIANCE].element),
                Severity.INFO if harmless else self.severity,
                layer_ref(layer),
                layer.inputs[_VARIANCE].id,
                notes=path_notes(item.scope.path),
            )
