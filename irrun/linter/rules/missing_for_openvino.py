from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops.detection.psroi_pooling import PSROIPooling

_BINS = ("spatial_bins_x", "spatial_bins_y")
_INTEGERS = ('precision="FP32"><dim>2</dim><dim>3</dim>', 'precision="I64"><dim>2</dim>')
_HEAD, _OUTPUT, _TAIL = NET.partition('<output><port id="1"')
_SHAPE_OF = "".join(
    (
        _HEAD.replace('type="Clamp" version="opset1"', 'type="ShapeOf" version="opset3"').replace(
            '<data min="0" max="6"/>', '<data output_type="i64"/>'
        ),
        _OUTPUT,
        _TAIL.replace(*_INTEGERS),
    )
)


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
    stage = "graph"
    good = (_SHAPE_OF,)
    bad = (_SHAPE_OF.replace('<data output_type="i64"/>', ""),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for node, scope in by_type(context).get("PSROIPooling", ()):
            op, layer = node.op, node.layer
            if not isinstance(op, PSROIPooling) or layer is None or op.mode != "bilinear" or context.document.fragment:
                continue
            absent = [name for name in _BINS if name not in layer.data]
            if absent and not context.doubtful(layer_ref(layer)):
                verb = "is" if len(absent) == 1 else "are"
                yield Diagnostic(
                    self.code,
                    f"{' and '.join(absent)} {verb} absent: OpenVINO reads 0 and refuses the layer, "
                    "the specification says 1",
                    Anchor(layer.data_element if layer.data_element is not None else layer.element),
                    self.severity,
                    layer_ref(layer),
                    notes=path_notes(scope.path),
                )
