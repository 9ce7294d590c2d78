from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref
from irrun.graph.faults import DuplicateLayerId
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, scopes


class DuplicateLayerName(Rule):
    """Two layers of one net have the same name.

    ## What it does
    Compares the names of the layers of each net. Layers of different bodies may share a name. A layer that is repeated
    together with its id is IR201; two inputs or outputs with one name are IR216.

    ## Why is this bad
    Profiles and logs identify layers by name, and become ambiguous. OpenVINO itself never looks up a layer by name, and
    its own passes write repeated names.

    ## Example
    Two layers with `name="clip"`.

    ## Use instead
    A unique name for each layer.
    """

    code = "IR209"
    name = "duplicate-layer-name"
    opt_in = True
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        twice = {item.layer for item in context.bound.diagnostics if item.code == DuplicateLayerId.code}
        for scope in scopes(context) if not context.document.fragment else ():
            if len({node.name for node in scope.graph.ordered()}) == len(scope.graph):
                continue
            layers: dict[str, list[Placed]] = {}
            for node in scope.graph.ordered():
                if node.layer is not None and node.name:
                    layers.setdefault(node.name, []).append(Placed(node, scope, node.layer))
            for name, same in layers.items():
                if len(same) < 2:
                    continue
                (_, _, first), *others = sorted(same, key=lambda item: item.layer.element)
                if any(layer_ref(item.layer) in twice for item in others):
                    continue
                more = f", {len(others)} times more" if len(others) > 1 else ""
                yield self.report(
                    others[0],
                    f'the name "{name}" is taken by layer {first.id} ({first.type}){more}, expected a name of its own',
                    at=Anchor(others[0].layer.element, "value", "name"),
                )
