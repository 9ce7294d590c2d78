from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity, near_match
from irrun.document.places import layer_ref, path_notes
from irrun.document.records import LayerElement
from irrun.graph import Node
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type, joined

_PORT: Final = '<port id="{}" precision="FP32"><dim>2</dim></port>'

STATEFUL: Final = f"""<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="2" element_type="f32"/>
            <output>{_PORT.format(0)}</output>
        </layer>
        <layer id="1" name="old" type="ReadValue" version="opset6">
            <data variable_id="state" variable_type="f32" variable_shape="2"/>
            <output>{_PORT.format(0)}</output>
        </layer>
        <layer id="2" name="sum" type="Add" version="opset1">
            <input>{_PORT.format(0)}{_PORT.format(1)}</input>
            <output>{_PORT.format(2)}</output>
        </layer>
        <layer id="3" name="new" type="Assign" version="opset6">
            <data variable_id="state"/>
            <input>{_PORT.format(0)}</input>
            <output>{_PORT.format(1)}</output>
        </layer>
        <layer id="4" name="y" type="Result" version="opset1">
            <input>{_PORT.format(0)}</input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
        <edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
    </edges>
</net>
"""


class UnpairedVariable(Rule):
    """A variable is read and never written, written and never read, or written twice.

    ## What it does
    Pairs each `ReadValue` with the `Assign` of the same `variable_id`. More than one `ReadValue` of a variable is
    reported as well.

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
    stage = "graph"
    good = (STATEFUL,)
    bad = (STATEFUL.replace('<data variable_id="state"/>', '<data variable_id="stat"/>'),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = list(self._unpaired(context))
        if found and joined(context) and not any(map(_may_be_variable, context.bound.graph.walk())):
            yield from found

    def _unpaired(self, context: Context) -> Iterator[Diagnostic]:
        read: dict[str, list[tuple[LayerElement, tuple[str, ...]]]] = {}
        written: dict[str, list[tuple[LayerElement, tuple[str, ...]]]] = {}
        for type, side in (("ReadValue", read), ("Assign", written)):
            for node, scope in by_type(context).get(type, ()):
                if node.op is None or node.layer is None:
                    return
                side.setdefault(node.layer.data.get("variable_id", ""), []).append((node.layer, scope.path))
        unread = {name: ends for name, ends in written.items() if name not in read}
        unwritten = {name: ends for name, ends in read.items() if name not in written}
        for name, ends in unread.items():
            meant = near_match(name, unwritten)
            if len(unread) == len(unwritten) == 1:
                meant = meant or f'; ReadValue reads "{next(iter(unwritten))}"'
            yield self._finding(*ends[0], f'no ReadValue reads the variable "{name}"{meant}')
        for name, ends in unwritten.items():
            if not unread:
                yield self._finding(*ends[0], f'no Assign writes the variable "{name}"', Severity.INFO)
        for kind, variables in (("ReadValue", read), ("Assign", written)):
            for name, ends in variables.items():
                if len(ends) > 1:
                    what = f'the variable "{name}" has a {kind} already, layer {ends[0][0].id} "{ends[0][0].name}"'
                    yield self._finding(*ends[1], f"{what}, expected one")

    def _finding(
        self,
        layer: LayerElement,
        path: tuple[str, ...],
        what: str,
        severity: Severity | None = None,
    ) -> Diagnostic:
        anchor = Anchor(layer.data_element, "value", "variable_id")
        severity = self.severity if severity is None else severity
        return Diagnostic(self.code, what, anchor, severity, layer_ref(layer), notes=path_notes(path))


def _may_be_variable(node: Node) -> bool:
    """Return whether a layer that could not be bound has the attribute of a variable."""
    return node.op is None and node.layer is not None and "variable_id" in node.layer.data
