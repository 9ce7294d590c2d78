from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Fix, Severity
from irrun.document.records import LayerElement
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops import Op
from irrun.ops.extension import Extension
from irrun.ops.registry import READ_AS, spelling


class OperationByAnotherName(Rule):
    """The type is spelt in another case, or the operation belongs to another opset, which OpenVINO accepts.

    ## What it does
    Compares type and version of each layer with OpenVINO's interpretation: it ignores the case of types, and accepts a
    few operations under the wrong version that old writers used.

    ## Why is this bad
    OpenVINO reads the file. Readers that compare types exactly do not.

    ## Example
    `type="Softmax" version="opset8"`, or an MVN of opset1, which OpenVINO reads as that of opset2.

    ## Use instead
    `type="SoftMax" version="opset8"`
    """

    code = "IR313"
    name = "operation-by-another-name"
    opt_in = True
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        editor = context.editor
        for nodes in by_type(context).values():
            for item in nodes:
                layer, op = item.layer, item.node.op
                if op is None or isinstance(op, Extension):
                    continue
                names = _other_names(layer, op)
                if not names:
                    continue
                edits = [edit for name in names for edit in editor.value(layer.element, name, names[name])]
                wanted = " ".join(f'{name}="{text}"' for name, text in names.items())
                written = f"{layer.type} of {layer.version}" if "version" in names else layer.type
                read = f"{op.type} of {names['version']}" if "version" in names else op.type
                yield self.report(
                    item,
                    f"OpenVINO reads {written} as {read}",
                    at=Anchor(layer.element, "value", next(iter(names))),
                    fix=Fix(f"write {wanted}", tuple(edits)) if edits else None,
                )


def _other_names(layer: LayerElement, op: Op) -> dict[str, str]:
    """Return the attributes of a layer that differ from its operation's spelling, each with that spelling."""
    names = {"type": op.type} if layer.type != op.type and spelling(layer.type) == op.type else {}
    if (op.type, layer.version) in READ_AS:
        names["version"] = op.spec.version
    return names
