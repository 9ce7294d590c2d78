from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.caches import unfused
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class AttentionNotFused(Rule):
    """The cache of a language model is read by products and a SoftMax instead of one attention operation.

    ## What it does
    With `--for genai`, looks for a MatMul and a SoftMax after a variable that grows. The layers are counted; the
    first is reported.

    ## Why is this bad
    OpenVINO GenAI replaces ScaledDotProductAttention by paged attention, which serves many requests at once, and
    its CPU plugin fuses it with the variable. It recognises few other forms: then each token copies the whole cache.

    ## Example
    A model that was exported with `attn_implementation="eager"`.

    ## Use instead
    An export with ScaledDotProductAttention, which is the default of optimum-intel.
    """

    code = "IR703"
    name = "attention-not-fused"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = unfused(context) if "genai" in context.settings.purposes else ()
        if found:
            more = len(found) - 1
            notes = [f"{more} more layer{'s do' if more > 1 else ' does'} the same"] if more else []
            what = "reads a cache behind a MatMul, expected ScaledDotProductAttention"
            yield self.report(found[0], what, notes=notes)
