"""Layers chosen by patterns of names and types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from irrun.debugging.faults import DebugError
from irrun.debugging.places import StepPlace
from irrun.diagnostics import near_match
from irrun.graph import Graph


class Selection:
    """The layers whose name or tensor name matches one of some patterns, or whose type matches one of others.

    Without patterns all layers. DebugError for a pattern that matches none.
    """

    def __init__(self, graph: Graph, names: Sequence[str] = (), types: Sequence[str] = ()) -> None:
        self._chosen: set[str] | None = None
        if not names and not types:
            return
        self._chosen = set()
        nodes = list(graph.walk())
        for pattern in names:
            found = {n.name for n in nodes if any(fnmatchcase(name, pattern) for name in _names(n.name, n.names))}
            self._add(found, pattern, "layer or tensor", (n.name for n in nodes))
        for pattern in types:
            found = {n.name for n in nodes if fnmatchcase(n.type.lower(), pattern.lower())}
            self._add(found, pattern, "type of layer", (n.type for n in nodes))

    def _add(self, found: set[str], pattern: str, what: str, known: Iterable[str]) -> None:
        if not found:
            raise DebugError(f'no {what} of the model matches "{pattern}"{near_match(pattern, set(known))}')
        assert self._chosen is not None
        self._chosen |= found

    def __contains__(self, place: StepPlace) -> bool:
        """Return whether a step computes a chosen layer."""
        return self._chosen is None or not self._chosen.isdisjoint(place.layers)

    def fused(self, place: StepPlace) -> tuple[str, ...]:
        """Return the chosen layers of a step whose own outputs it does not have, since later layers are fused to it."""
        if self._chosen is None:
            return ()
        return tuple(name for name in place.layers[:-1] if name in self._chosen)


def _names(name: str, tensors: Sequence[Sequence[str]]) -> list[str]:
    return [name, *(tensor for port in tensors for tensor in port)]
