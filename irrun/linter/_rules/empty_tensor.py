from __future__ import annotations

import math
from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.declared import offending
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, remarkable
from irrun.tensor import Fact


class EmptyTensor(Rule):
    """A tensor is always empty, although the inputs of its layer are not.

    ## What it does
    Reports outputs with a size of 0 at layers without an empty input, and inputs of the model that can only be empty.
    Constants, and lists of axes or sizes, which may be empty, are not reported.

    ## Why is this bad
    It is allowed, but rarely intended: a slice ends before it begins, a window is wider than its input, or a size was
    read as 0. An empty initial value of a variable, such as a cache, is not reported.

    ## Example
    A Parameter with `shape="2,0"`.

    ## Use instead
    The intended size, or `?` for an unknown one.
    """

    code = "IR405"
    name = "empty-tensor"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in remarkable(context):
            layer = item.layer
            if layer.type == "Const" or (layer.type == "Parameter" and item.scope.path):
                continue
            empty = next(
                (index for index, fact in enumerate(item.outputs) if _is_empty(fact)),
                None,
            )
            if empty is None or empty >= len(layer.outputs) or any(_is_empty(fact) for fact in item.inputs):
                continue
            if _starts_a_state(item) or offending(layer.outputs[empty], item.outputs[empty].shape) != ():
                continue
            yield self.report(
                item,
                f"output port {layer.outputs[empty].id} is {item.outputs[empty]}, which never has an element",
                port=layer.outputs[empty],
                notes=_notes(item.inputs),
            )


def _starts_a_state(item: InferredLayer) -> bool:
    """Return whether the layer only initialises variables, which may begin with an empty cache."""
    fed = item.scope.graph.consumers(Outlet(item.node.id, 0))
    return bool(fed) and all(item.scope.graph.node(target).type == "ReadValue" for target, _ in fed)


def _is_empty(fact: Fact) -> bool:
    dims = fact.shape.dims
    if dims is None or math.prod([dim.hi for dim in dims]) != 0:
        return False
    return len(dims) > 1 or not fact.type.is_integer


def _notes(inputs: tuple[Fact, ...]) -> tuple[str, ...]:
    return tuple(f"input {index}: {fact}" for index, fact in enumerate(inputs))
