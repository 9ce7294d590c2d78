"""The known departures of OpenVINO's CPU plugin that may concern a layer."""

from __future__ import annotations

from collections.abc import Iterator

from irrun.linter.scopes import Scope, inferred
from irrun.model import Loaded
from irrun.ops.departures import Departure, of_types


def departures_of(model: Loaded, id: int) -> tuple[str, ...]:
    """Return the departures of the operation of a layer, and those of all operations on its types.

    Departures that can be recognised are left out where the layer does not show them.
    """
    return tuple(dict.fromkeys(_departures(model, id)))


def _departures(model: Loaded, id: int) -> Iterator[str]:
    node = model.graph.node(id)
    seen = inferred(node, Scope(model.graph, model.facts, ()))
    for known in node.op.departures.values() if node.op is not None else ():
        if isinstance(known, Departure):
            text = known.text if seen is None else known.found(node.op, seen)
            if text is not None:
                yield text
        else:
            yield known
    if seen is not None:
        yield from of_types(seen.inputs, seen.outputs)
