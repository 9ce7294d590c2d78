from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import inferred_layers
from irrun.tensor.dim import UNBOUNDED
from irrun.tensor.element_type import BY_NAME

STRING: Final = BY_NAME["string"]


class UnboundedInput(Rule):
    """An input has a size without an upper bound, for a device that refuses it.

    ## What it does
    With `--for npu`, looks at the dims of the model's inputs: each must be a number or have an upper bound. Models with
    texts as inputs or outputs are left out, since tokenizers run on the CPU.

    ## Why is this bad
    Neural processing units compile a model for sizes that are known. The plugin refuses dynamic dims without an upper
    bound (`to_shape was called on a dynamic shape`), or falls back to another device.

    ## Example
    `<data shape="?,3,224,224"/>`

    ## Use instead
    `<data shape="1,3,224,224"/>`, or `<data shape="1..8,3,224,224"/>`: a reshaped model, saved again.
    """

    code = "IR708"
    name = "unbounded-input"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        has_texts = any(fact.type is STRING for fact in context.facts.of.values())
        if "npu" not in context.settings.purposes or has_texts:
            return
        for item in inferred_layers(context, "Parameter"):
            dims = item.outputs[0].shape.dims
            if item.path or (dims is not None and all(dim.hi < UNBOUNDED for dim in dims)):
                continue
            axes = [] if dims is None else [axis for axis, dim in enumerate(dims) if dim.hi >= UNBOUNDED]
            what = "the rank is unknown" if dims is None else f"{_sizes(axes)} no upper bound"
            place = Anchor(item.layer.data_element, "value", "shape")
            yield self.report(item, f"{what} in {item.outputs[0].shape}, expected one for an NPU", at=place)


def _sizes(axes: list[int]) -> str:
    if len(axes) == 1:
        return f"axis {axes[0]} has"
    return f"axes {', '.join(map(str, axes[:-1]))} and {axes[-1]} have"
