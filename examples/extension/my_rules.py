"""A rule of your own: `irrun lint model.xml --extension my_rules.py`."""

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class UnnamedOutput(Rule):
    """An output of the model has no tensor name, so that programs can refer to it by its position only."""

    code, name, severity = "MY201", "unnamed-output", Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.inputs:
            if item.layer.type == "Result" and not item.path and item.feeder is not None and not item.feeder.names:
                yield self.report(item, "the output has no tensor name, expected names on the port that feeds it")
