"""The known departures of OpenVINO's CPU plugin that may concern a layer."""

from __future__ import annotations

from collections.abc import Iterator

from irrun.linter.scopes import Scope, inferred
from irrun.model import Loaded
from irrun.ops.departures import Departure, of_types


def departures_of(model: Loaded, id: int) -> tuple[str, ...]:
    """Return the departures of the operation of a layer, and those of all operations on its types.

    Each says what to write instead, if that is known. Departures that can be recognised are left out where the layer
    does not show them.
    """
    return tuple(dict.fromkeys(_departures(model, id)))


def _departures(model: Loaded, id: int) -> Iterator[str]:
    node = model.graph.node(id)
    seen = inferred(node, Scope(model.graph, model.facts, ()))
    if node.op is not None:
        for key, known in node.op.departures.items():
            if isinstance(known, Departure) and seen is not None:
                text = known.found(node.op, seen)
                if text is not None:
                    yield node.op.spec.departure(key, text)
            else:
                yield node.op.spec.departure(key)
    if seen is not None:
        yield from of_types(seen.inputs, seen.outputs)
