"""Files as OpenVINO reads them: the notes on a model, and what it refuses beyond the findings of irrun."""

from __future__ import annotations

from typing import Any, Final

from irrun.diagnostics import IRError
from irrun.document.rt_info import model_notes
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.model.interface import LEGACY, legacy_output_name
from irrun.openvino.values.rt_info import plain

VERSION: Final = "version"
"""The note that is the version of the format; no file has it as a note."""

_SIZE: Final = "IR108"
"""The finding about a size that is no number, or below -1."""


def read_notes(loaded: Loaded) -> dict[str, Any]:
    """Return the notes on a model that was read, with the version of its format."""
    has_own = loaded.origin is None or loaded.has_notes
    notes = loaded.notes if has_own or loaded.origin is None else model_notes(loaded.origin)
    version = loaded.version or ""
    return {**plain(dict(notes)), VERSION: int(version) if version.isdecimal() else version}


def require_readable(loaded: Loaded) -> None:
    """Raise IRError for sizes below -1, and RuntimeError where a layer of version 10 has the name of another tensor."""
    found = () if loaded.origin is None else loaded.origin.diagnostics
    sizes = [item for item in found if item.code == _SIZE]
    if sizes:
        raise IRError(sizes, loaded.filename)
    if loaded.version == LEGACY:
        _require_distinct(loaded)


def _require_distinct(loaded: Loaded) -> None:
    """Raise RuntimeError where the name of an input or output is that of another tensor at an end of the model."""
    graph = loaded.bound.graph
    inputs = [Outlet(id, 0) for id in graph.parameters]
    outputs = [source for id in graph.results for source in graph.sources(id)[:1] if source is not None]
    taken: dict[str, Outlet] = {}
    for outlet in (*inputs, *outputs):
        names = graph.node(outlet.node).names
        for name in names[outlet.port] if outlet.port < len(names) else ():
            taken.setdefault(name, outlet)
    named = [(graph.node(outlet.node).name, outlet) for outlet in inputs]
    named += [(legacy_output_name(outlet, graph, loaded.facts), outlet) for outlet in outputs]
    for name, outlet in named:
        if taken.setdefault(name, outlet) != outlet:
            place = f"{loaded.filename}: " if loaded.filename else ""
            what = f'{place}two tensors have the name "{name}", which IR version 10 gives an input or output'
            raise RuntimeError(f"{what}; expected a file of version 11, or other names of layers")
