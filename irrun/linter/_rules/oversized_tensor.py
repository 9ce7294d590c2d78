from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Diagnostic, Severity
from irrun.diagnostics.sizes import bytes_text
from irrun.linter.context import Context
from irrun.linter.declared import offending
from irrun.linter.rule import Rule
from irrun.linter.scopes import remarkable
from irrun.runtime import faults

MOST_BYTES: Final = 1 << 40


class OversizedTensor(Rule):
    """A tensor is larger than any memory, or than the memory that the model may take.

    ## What it does
    Reports tensors of known size of 1 TiB or more, or of more than `--max-memory` (`max-memory` in `irrun.toml`), at
    the first layer that computes one. From 2^63 bytes on, where the size overflows 64-bit integers, the finding is an
    error.

    ## Why is this bad
    The file loads, but allocating the tensor fails, or succeeds with a wrong size after an overflow of the product of
    dims. Malicious files use this.

    ## Example
    A Parameter with `shape="1000000000000,3"`.

    ## Use instead
    The intended size, or `?` for an unknown one.
    """

    code = "IR902"
    name = "oversized-tensor"
    severity = Severity.WARNING
    faults = (faults.OversizedTensor,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        budget = context.settings.max_memory
        most = MOST_BYTES if budget is None else min(budget + 1, MOST_BYTES)
        stated = "" if budget is None else f", the budget is {bytes_text(budget)}"
        for item in remarkable(context):
            large = next((index for index, fact in enumerate(item.outputs) if fact.least_bytes >= most), None)
            layer = item.layer
            if large is None or any(fact.least_bytes >= most for fact in item.inputs):
                continue
            size = item.outputs[large].least_bytes
            limit = "2^63 bytes or more" if size >= 1 << 63 else bytes_text(size)
            port = layer.outputs[large] if large < len(layer.outputs) else None
            if port is not None and offending(port, item.outputs[large].shape) != ():
                continue
            yield self.report(
                item,
                f"{item.outputs[large]} takes {limit}{stated}",
                port=port,
                severity=Severity.ERROR if size >= 1 << 63 else None,
            )
