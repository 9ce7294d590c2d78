from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter._rules.oversized_tensor import MOST_BYTES
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import constant_nodes, remarkable

MOST_CONSTANT_BYTES: Final = 1 << 30


class OversizedConstant(Rule):
    """A layer computes a huge tensor from constants.

    ## What it does
    Reports tensors from 1 GiB up to 1 TiB at layers that do not depend on inputs of the model, such as a Range, a
    Broadcast or a Tile of constants.

    ## Why is this bad
    Constant folding allocates the tensor when the model is loaded, so that a file of a few bytes can exhaust a server.

    ## Example
    A Broadcast of one f32 to `[65536,65536]`, which needs 16 GiB.

    ## Use instead
    Implicit broadcasting in the layer that uses the tensor.
    """

    code = "IR904"
    name = "oversized-constant"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in remarkable(context):
            size = max(fact.least_bytes for fact in item.outputs)
            if not MOST_CONSTANT_BYTES <= size < MOST_BYTES or item.node.type == "Const":
                continue
            if any(fact.least_bytes >= MOST_CONSTANT_BYTES for fact in item.inputs):
                continue
            if item.node.id not in constant_nodes(item.scope.graph):
                continue
            large = next(fact for fact in item.outputs if fact.least_bytes == size)
            yield self.report(item, f"{large} takes {size / (1 << 30):.4g} GiB and follows from constants alone")
