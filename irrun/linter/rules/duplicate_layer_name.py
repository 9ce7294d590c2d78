from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.document.records import LayerElement
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import scopes


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
    stage = "graph"
    good = (NET,)
    bad = (NET.replace('name="y"', 'name="clip"'),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        twice = {item.layer for item in context.bound.diagnostics if item.code == "IR201"}
        for scope in scopes(context) if not context.document.fragment else ():
            if len({node.name for node in scope.graph}) == len(scope.graph):
                continue
            layers: dict[str, list[LayerElement]] = {}
            for node in scope.graph:
                if node.layer is not None and node.name:
                    layers.setdefault(node.name, []).append(node.layer)
            for name, same in layers.items():
                if len(same) < 2:
                    continue
                first, *others = sorted(same, key=lambda layer: layer.element)
                if any(layer_ref(layer) in twice for layer in others):
                    continue
                more = f", {len(others)} times more" if len(others) > 1 else ""
                yield Diagnostic(
                    self.code,
                    f'the name "{name}" is taken by layer {first.id} ({first.type}){more}, expected a name of its own',
                    Anchor(others[0].element, "value", "name"),
                    self.severity,
                    layer_ref(others[0]),
                    notes=path_notes(scope.path),
                )
