from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic
from irrun.linter._rules.operation_of_a_library import uses
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class RuntimeOnlyOperation(Rule):
    """The operation is internal to OpenVINO, which cannot read it from a file.

    ## What it does
    Reports operations of domains such as `ie_internal_opset`, `type_relaxed_opset`, `cpu_plugin_opset` and `gpu_opset`,
    and those of paged attention, once for each operation.

    ## Why is this bad
    The file is a snapshot of a model during compilation, or after changes by a pipeline. `Core.read_model` refuses it
    in every release: `Cannot create PagedAttentionExtension layer … from unsupported opset: extension`.

    ## Example
    `type="PagedAttentionExtension" version="extension"`

    ## Use instead
    The original model: save it before compiling it or passing it to a pipeline.
    """

    code = "IR315"
    name = "runtime-only-operation"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for use in uses(context):
            if use.origin.internal_to is not None:
                what = f"{use.origin.statement}, and no OpenVINO reads it from a file"
                yield self.report(use.first, what, at=use.anchor, notes=use.others)
