from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.rules.operation_of_a_library import SHARPEN, uses


class RuntimeOnlyOperation(Rule):
    """An operation that OpenVINO makes for itself and reads from no file.

    ## What it does
    Reports operations of domains such as `ie_internal_opset`, `type_relaxed_opset`, `cpu_plugin_opset` and `gpu_opset`,
    and those of paged attention. One finding stands for all layers of an operation.

    ## Why is this bad
    The file is a snapshot of a model that was being compiled, or that a pipeline had taken over. `Core.read_model`
    refuses it in every release: `Cannot create PagedAttentionExtension layer … from unsupported opset: extension`.

    ## Example
    `type="PagedAttentionExtension" version="extension"`

    ## Use instead
    The model as it was before: save it before it is compiled or given to a pipeline.
    """

    code = "IR315"
    name = "runtime-only-operation"
    stage = "graph"
    good = (SHARPEN,)
    bad = (
        SHARPEN.replace('"Sharpen"', '"PagedAttentionExtension"'),
        SHARPEN.replace('"extension"', '"cpu_plugin_opset"'),
    )

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for use in uses(context):
            if use.op.internal_to is not None:
                what = f"{use.op.statement}, and no OpenVINO reads it from a file"
                yield Diagnostic(self.code, what, use.anchor, self.severity, use.layer, notes=use.notes)
