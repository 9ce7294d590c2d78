from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref
from irrun.graph import faults
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops._declared.detection.psroi_pooling import PSROIPooling

_BINS = ("spatial_bins_x", "spatial_bins_y")


class MissingForOpenvino(Rule):
    """An attribute is absent that is optional in the specification but required by OpenVINO.

    ## What it does
    Reports absent attributes with a default in the specification but none in OpenVINO, such as `output_type` of ShapeOf
    and `block_size` of DepthToSpace. Bare layers, as in the examples of the specification, are not reported.

    ## Why is this bad
    OpenVINO does not load the file or compile the model, and its message does not name the attribute.

    ## Example
    A ShapeOf of opset3 without `output_type`.

    ## Use instead
    `<data output_type="i64"/>`
    """

    code = "IR312"
    name = "missing-for-openvino"
    severity = Severity.WARNING
    faults = (faults.MissingForOpenvino,)
    explains = ("stray-text",)
    breaks = ("layer",)
    of_absence = True

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in by_type(context).get("PSROIPooling", ()):
            op, layer = item.node.op, item.layer
            if not isinstance(op, PSROIPooling) or op.mode != "bilinear" or context.document.fragment:
                continue
            absent = [name for name in _BINS if name not in layer.data]
            if absent and not context.doubtful(layer_ref(layer)):
                fault = faults.MissingForOpenvino(names=absent, defaults=["1"], reads="reads 0 and ")
                element = layer.data_element if layer.data_element is not None else layer.element
                yield self.report(item, fault.message, at=Anchor(element))
