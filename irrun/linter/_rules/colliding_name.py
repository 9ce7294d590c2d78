from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.records import LayerElement, tensor_names
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import joined
from irrun.model.interface import LEGACY, interface, legacy_output_name
from irrun.model.port import Port


class CollidingName(Rule):
    """Two inputs or outputs of the model have the same name.

    ## What it does
    Compares the names of the inputs and outputs of a model: their tensor names; in IR version 10 also the names of
    their layers; in version 11 the names of the layers only where there is no tensor name.

    ## Why is this bad
    OpenVINO refuses a file of version 10: `Model operation names have collisions with tensor names`. In version 11 it
    adds a number to a repeated tensor name, which then differs from the name in the file; and an input without a unique
    name cannot be set by name.

    ## Example
    `names="image"` at the output ports of two Parameters.

    ## Use instead
    `names="image"` at one, `names="mask"` at the other.
    """

    code = "IR216"
    name = "colliding-name"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if not joined(context):
            return
        ends = list(_ends(context))
        yield from self._tensor_names(ends)
        yield from self._legacy_names(ends) if context.document.net.version == LEGACY else self._without_a_name(ends)

    def _tensor_names(self, ends: Iterable[_End]) -> Iterator[Diagnostic]:
        """Report tensor names of an earlier tensor, to which OpenVINO adds a number."""
        first: dict[str, _End] = {}
        for end in ends:
            for name, anchor in end.names:
                other = first.setdefault(name, end)
                if other.outlet != end.outlet:
                    subject = f'the tensor name "{name}" of {end.what}'
                    what = f"{subject} is that of {other.what} too; OpenVINO adds a number to it"
                    yield self.report(end, what, at=anchor)
                    break

    def _legacy_names(self, ends: Sequence[_End]) -> Iterator[Diagnostic]:
        """Report repeated names in IR version 10, for which OpenVINO refuses the file."""
        first: dict[str, _End] = {}
        tensors: dict[Outlet, _End] = {}
        for end in ends:
            for name, anchor in end.names:
                first.setdefault(name, end)
                other = tensors.setdefault(end.outlet, end)
                if other is not end:
                    yield self._refused(name, end, other, anchor)
                    break
        for end in ends:
            other = first.setdefault(end.legacy, end)
            if other.outlet != end.outlet:
                yield self._refused(end.legacy, end, other, Anchor(end.layer.element, "value", "name"))

    def _refused(self, name: str, end: _End, other: _End, anchor: Anchor) -> Diagnostic:
        what = f'the name "{name}" of {end.what} is that of {other.what} too, which OpenVINO refuses in IR version 10'
        return self.report(end, what, at=anchor, severity=Severity.ERROR)

    def _without_a_name(self, ends: Sequence[_End]) -> Iterator[Diagnostic]:
        """Report inputs and outputs without a unique name."""
        for kind in ("input", "output"):
            first: dict[str, _End] = {}
            same = [end for end in ends if end.what.startswith(kind)]
            for end in same:
                for name in end.port.names:
                    first.setdefault(name, end)
            for end in same:
                names = [name for name in (end.port.node_name, end.port.result_name) if name]
                others = [first.setdefault(name, end) for name in names]
                if not end.port.names and others and all(other.outlet != end.outlet for other in others):
                    subject = f'the name "{names[0]}" of {end.what}'
                    what = f"{subject} is that of {others[0].what} too, expected a name of its own"
                    yield self.report(end, what, at=Anchor(end.layer.element, "value", "name"))


class _End(NamedTuple):
    """An input or output of the model, with its description, port, tensor, and the layer that produces the tensor.

    ``names`` are the tensor names in the file, each with its place; ``legacy`` is the name in version 10.
    """

    what: str
    port: Port
    outlet: Outlet
    layer: LayerElement
    names: tuple[tuple[str, Anchor], ...]
    legacy: str
    path: tuple[str, ...] = ()


def _ends(context: Context) -> Iterator[_End]:
    graph, facts = context.bound.graph, context.facts
    ports = interface(graph, facts, context.document.net.version)
    for port, id in zip(ports.inputs, graph.parameters, strict=True):
        layer = graph.node(id).layer
        if layer is not None:
            yield _End(f"input {port.index}", port, Outlet(id, 0), layer, _written(layer, 0), layer.name)
    for port, id in zip(ports.outputs, graph.results, strict=True):
        outlet = graph.sources(id)[0] if graph.sources(id) else None
        layer, result = graph.node(outlet.node).layer if outlet is not None else None, graph.node(id).layer
        if outlet is not None and layer is not None and result is not None:
            names = _written(layer, outlet.port)
            if context.document.net.version != LEGACY:
                anchor = Anchor(result.element, "value", "output_names")
                names += tuple([(name, anchor) for name in tensor_names(result.output_names)])
            yield _End(f"output {port.index}", port, outlet, layer, names, legacy_output_name(outlet, graph, facts))


def _written(layer: LayerElement, port: int) -> tuple[tuple[str, Anchor], ...]:
    if port >= len(layer.outputs):
        return ()
    anchor = Anchor(layer.outputs[port].element, "value", "names")
    return tuple([(name, anchor) for name in tensor_names(layer.outputs[port].names)])
