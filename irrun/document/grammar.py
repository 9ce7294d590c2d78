"""What may stand where in an IR, and what a stranger was meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from irrun.diagnostics import near_match

VERSIONS: Final = ("10", "11")
SIZE: Final = re.compile(r"-1|[0-9]{1,40}")
ID: Final = re.compile(r"[0-9]{1,18}")

MAPS: Final = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}
"""The tag of the port map that belongs to each kind of body."""

CHILDREN: Final[dict[str, frozenset[str]]] = {
    "net": frozenset(
        {"layers", "edges", "rt_info", "meta_data", "statistics", "pre-process", "quantization_parameters"}
    ),
    "layers": frozenset({"layer"}),
    "edges": frozenset({"edge"}),
    "layer": frozenset({"data", "input", "output", "rt_info", "back_edges", *MAPS, *MAPS.values()}),
    "input": frozenset({"port"}),
    "output": frozenset({"port"}),
    "port": frozenset({"dim", "rt_info"}),
    "dim": frozenset(),
    "port_map": frozenset({"input", "output"}),
    "back_edges": frozenset({"edge"}),
}

ONCE: Final = frozenset({"layers", "edges", "data", "input", "output", "back_edges", *MAPS, *MAPS.values()})
"""Elements that stand at most once in a net or in a layer."""

ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "net": ("name", "version"),
    "layer": ("id", "name", "type", "version", "output_names"),
    "port": ("id", "precision", "names"),
    "edge": ("from-layer", "from-port", "to-layer", "to-port"),
    "map": ("external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size", "purpose"),
    "back": ("from-layer", "to-layer"),
}

_MARKS: Final = {
    "layers": ("layer", "type"),
    "edges": ("edge", "from-layer"),
    "back_edges": ("edge", "from-layer"),
    "input": ("port", "id"),
    "output": ("port", "id"),
}
"""The one element that stands in these, and an attribute to know it by."""


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a word was meant to be; None where none is close."""
    return near_match(word, candidates).removeprefix("; did you mean ").removesuffix("?") or None


def meant_element(element: Any, parent: str) -> str | None:
    """The tag that an element should have had to stand where it does; None where that is not plain."""
    close = nearest(element.tag, CHILDREN[parent])
    if close is not None:
        return close
    if parent == "port":
        return "dim" if not element.attrib and SIZE.fullmatch((element.text or "").strip()) is not None else None
    if parent not in _MARKS:
        return None
    tag, mark = _MARKS[parent]
    return tag if mark in element.attrib else None
