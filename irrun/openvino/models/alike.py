"""Elements of the file that was read, beside those that are made of its graph."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from irrun.document.records import BodyElement, LayerElement, MapElement, PortElement, element_type
from irrun.tensor import Fact, Shape


def as_before(entries: Sequence[MapElement], before: Sequence[MapElement]) -> Sequence[MapElement]:
    """Return the entries of a port map as the file has them, where they say the same."""
    sides = [sorted((item.kind, *sorted(item.attributes.items())) for item in side) for side in (entries, before)]
    return before if sides[0] == sides[1] else entries


def unless_same(made: PortElement, before: PortElement | None) -> PortElement:
    return before if before is not None and _port_key(made) == _port_key(before) else made


def _port_key(item: PortElement) -> tuple[Any, ...]:
    return item.id, item.precision, item.names, item.dims, item.info


def is_same(made: LayerElement, before: LayerElement) -> bool:
    """Return whether two layers have the same text, but for white space."""
    kept = made._replace(element=before.element, data_element=before.data_element, bodies=(), data={})
    if kept != before._replace(bodies=(), data={}) or list(made.data.items()) != list(before.data.items()):
        return False
    bodies = itertools.zip_longest(made.bodies, before.bodies)
    return all(first is not None and second is not None and _is_same_body(first, second) for first, second in bodies)


def _is_same_body(made: BodyElement, before: BodyElement) -> bool:
    if made.tag != before.tag or len(made.net.layers) != len(before.net.layers):
        return False
    layers = zip(made.net.layers, before.net.layers, strict=True)
    pairs = (made.net.edges, before.net.edges), (made.back_edges, before.back_edges), (made.port_map, before.port_map)
    return all(first is second for first, second in layers) and all(_plain(a) == _plain(b) for a, b in pairs)


def _plain(items: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return elements without their ordinals."""
    return [item[1:] for item in items]


def declares(data: Mapping[str, str], fact: Fact, *, exact: bool = True) -> bool:
    """Return whether attributes have the type and the shape of a fact, or a shape that includes it unless ``exact``."""
    return element_type(data.get("element_type")) is fact.type and has_shape(data, fact.shape, exact=exact)


def has_shape(data: Mapping[str, str], shape: Shape, *, exact: bool = True) -> bool:
    """Return whether attributes have a shape, or admit it unless ``exact``."""
    try:
        declared = Shape.parse(data.get("shape", "..."))
    except ValueError:
        return False
    return str(declared) == str(shape) or (not exact and includes(declared, shape))


def includes(declared: Shape, shape: Shape) -> bool:
    if declared.dims is None or shape.dims is None:
        return declared.dims is None
    pairs = zip(declared.dims, shape.dims, strict=False)
    return len(declared.dims) == len(shape.dims) and all(a.lo <= b.lo and a.hi >= b.hi for a, b in pairs)
