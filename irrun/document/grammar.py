"""The grammar of an IR: elements and attributes, those that old writers left, and near matches of unknown ones."""

from __future__ import annotations

import re
from typing import Final

from irrun.diagnostics import nearest
from irrun.document.stream import Element
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

LEGACY: Final = "10"
"""The IR version of old writers, whose ports may have dims of their own conventions."""

VERSIONS: Final = (LEGACY, "11")
SIZE: Final = re.compile(r"-1|[0-9]{1,40}")
ID: Final = re.compile(r"[0-9]{1,18}")

MAPS: Final = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}
"""The tag of the port map that belongs to each kind of body."""

CHILDREN: Final[dict[str, frozenset[str]]] = {
    "net": frozenset({"layers", "edges", "rt_info", "pre-process"}),
    "layers": frozenset({"layer"}),
    "edges": frozenset({"edge"}),
    "layer": frozenset({"data", "input", "output", "rt_info", "back_edges", *MAPS, *MAPS.values()}),
    "input": frozenset({"port"}),
    "output": frozenset({"port"}),
    "port": frozenset({"dim", "rt_info"}),
    "dim": frozenset(),
    "port_map": frozenset({"input", "output"}),
    "back_edges": frozenset({"edge"}),
    "pre-process": frozenset({"channel"}),
    "channel": frozenset({"mean"}),
}

LEGACY_CHILDREN: Final[dict[str, dict[str, str]]] = {
    "net": {
        "meta_data": "Model Optimizer",
        "cli_parameters": "Model Optimizer",
        "quantization_parameters": "Post-training Optimization Tool",
        "statistics": "Calibration Tool",
    },
    "layer": {"blobs": "Model Optimizer", "weights": "Model Optimizer", "biases": "Model Optimizer"},
    "channel": {"scale": "Model Optimizer"},
}
"""Elements without meaning, with the tool that wrote them into IRs before 2023. OpenVINO ignores them."""

ONCE: Final = frozenset(
    {"layers", "edges", "pre-process", "data", "input", "output", "back_edges", "mean", *MAPS, *MAPS.values()}
)
"""Elements that may occur at most once in their parent."""

ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "net": ("name", "version"),
    "layer": ("id", "name", "type", "version", "output_names"),
    "port": ("id", "precision", "names"),
    "edge": ("from-layer", "from-port", "to-layer", "to-port"),
    "map": ("external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size", "purpose"),
    "back": ("from-layer", "to-layer"),
    "pre-process": ("reference-layer-name",),
    "channel": ("id",),
    "mean": ("value", "offset", "size"),
}

LEGACY_ATTRIBUTES: Final[dict[str, dict[str, str]]] = {
    "layer": {"precision": "Model Optimizer"},
    "map": {"internal_port_id": "Model Optimizer"},
    "back": {"from-port": "Model Optimizer", "to-port": "Model Optimizer"},
    "pre-process": {"mean-precision": "Model Optimizer"},
}
"""Attributes without meaning, with the tool that wrote them, as for ``LEGACY_CHILDREN``."""

_INTEGERS: Final = frozenset({"axis", "start", "end", "stride", "part_size", "offset", "size"})
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")

_MARKS: Final = {
    "layers": ("layer", "type"),
    "edges": ("edge", "from-layer"),
    "back_edges": ("edge", "from-layer"),
    "input": ("port", "id"),
    "output": ("port", "id"),
}
"""The only child element of each of these, and an attribute that identifies it."""


def can_be(name: str, text: str) -> bool:
    """Return whether an attribute of an element of the IR format can have a text."""
    if name == "precision":
        return text in BY_PRECISION or text in BY_NAME
    if name in ("id", "from-layer", "from-port", "to-layer", "to-port", "external_port_id", "internal_layer_id"):
        return ID.fullmatch(text) is not None or (name == "external_port_id" and text == "-1")
    return name not in _INTEGERS or _INTEGER.fullmatch(text) is not None


def meant_element(element: Element, parent: str) -> str | None:
    """Return the tag that an unknown element in ``parent`` was probably meant to have; None where that is unclear."""
    close = nearest(element.tag, CHILDREN[parent])
    if close is not None:
        return close
    if parent == "port":
        return "dim" if not element.keys() and SIZE.fullmatch((element.text or "").strip()) is not None else None
    if parent not in _MARKS:
        return None
    tag, mark = _MARKS[parent]
    return tag if element.get(mark) is not None else None
