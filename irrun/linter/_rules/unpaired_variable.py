from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity, near_match
from irrun.graph import Node
from irrun.linter.context import Context
from irrun.linter.declared import called
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, by_type, joined


class UnpairedVariable(Rule):
    """A variable is read and never written, written and never read, or written twice.

    ## What it does
    Pairs each `ReadValue` with the `Assign` of the same `variable_id`. More than one `ReadValue` of a variable is
    reported as well. A variable that is never written is an info, and with `--for genai` a warning.

    ## Why is this bad
    A variable that is never written keeps its initial value, and a value written under a misspelt name is lost. With
    two ReadValues of one variable, it depends on the device which of them reads the written value.

    ## Example
    A ReadValue of "state", and an Assign to "stat".

    ## Use instead
    One ReadValue and one Assign for each variable.
    """

    code = "IR214"
    name = "unpaired-variable"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = list(self._unpaired(context))
        if found and joined(context) and not any(map(_may_be_variable, context.bound.graph.walk())):
            yield from found

    def _unpaired(self, context: Context) -> Iterator[Diagnostic]:
        read: dict[str, list[Placed]] = {}
        written: dict[str, list[Placed]] = {}
        for type, side in (("ReadValue", read), ("Assign", written)):
            for item in by_type(context).get(type, ()):
                if item.node.op is None:
                    return
                side.setdefault(item.layer.data.get("variable_id", ""), []).append(item)
        unread = {name: ends for name, ends in written.items() if name not in read}
        unwritten = {name: ends for name, ends in read.items() if name not in written}
        for name, ends in unread.items():
            meant = near_match(name, unwritten)
            if len(unread) == len(unwritten) == 1:
                meant = meant or f'; ReadValue reads "{next(iter(unwritten))}"'
            yield self._finding(ends[0], f'no ReadValue reads the variable "{name}"{meant}')
        for name, ends in unwritten.items():
            if not unread:
                severity = Severity.WARNING if "genai" in context.settings.purposes else Severity.INFO
                yield self._finding(ends[0], f'no Assign writes the variable "{name}"', severity)
        for kind, variables in (("a ReadValue", read), ("an Assign", written)):
            for name, ends in variables.items():
                if len(ends) > 1:
                    what = f'the variable "{name}" has {kind} already, {called(ends[0].layer)}'
                    yield self._finding(ends[1], f"{what}, expected one")

    def _finding(self, item: Placed, what: str, severity: Severity | None = None) -> Diagnostic:
        return self.report(item, what, at=Anchor(item.layer.data_element, "value", "variable_id"), severity=severity)


def _may_be_variable(node: Node) -> bool:
    """Return whether a layer that could not be bound has the attribute of a variable."""
    return node.op is None and node.layer is not None and "variable_id" in node.layer.data
