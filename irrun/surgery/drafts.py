"""Models under edits: how they are opened, edited with their bodies, closed and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from irrun.editing import MutableGraph
from irrun.graph import Body, Bound, Node, Outlet
from irrun.graph.graph import Inlet
from irrun.inference import Facts
from irrun.model import InputError, Loaded
from irrun.model.interface import LEGACY
from irrun.openvino.models.model import Model
from irrun.openvino.models.writing import written
from irrun.ops._declared.arithmetic.subtract import Subtract
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.tensor import Array, Fact

VERSION = "11"
"""The IR version that is written."""


def opened(model: Loaded) -> tuple[Loaded, MutableGraph]:
    """Return a model as the current IR version has it, and its graph under edits.

    Types and names of the inputs and outputs of an older version, and means that it subtracts, become layers.
    """
    plain = model
    if model.version == LEGACY:
        legacy = Model.of(model)
        _ = legacy.inputs
        plain = legacy.value
    edited = MutableGraph(plain.graph, plain.facts, plain.weights)
    for index, mean in (model.means() if model.bound.means else {}).items():
        _subtract(edited, plain.graph.parameters[index], mean)
    return plain, edited


def closed(edited: MutableGraph, model: Loaded) -> Loaded:
    """Return the graph of an edited model as a model with its name and notes."""
    graph, facts = edited.freeze()
    name = model.friendly_name
    given = {id: facts[Outlet(id, 0)] for id in graph.parameters if Outlet(id, 0) in facts.of}
    bound, weights, origin, notes = Bound(graph, (), {}), model.weights, model.origin, model.notes
    return Loaded(bound, facts, weights, origin, name=name, version=VERSION, given=given, notes=notes)


def everywhere(edited: MutableGraph, change: Callable[[MutableGraph, str], None], path: str = "") -> None:
    """Change a graph, after the bodies inside of it; ``change`` gets the names of the layers around, with slashes."""
    for id in list(edited.graph):
        node = edited.node(id)
        if not node.bodies:
            continue
        bodies = {}
        for tag, body in node.bodies.items():
            facts = edited.bodies.get((id, tag)) or Facts(body.graph, {}, {}, ())
            inner = MutableGraph(body.graph, facts, edited.weights)
            everywhere(inner, change, f"{path}{node.name}/")
            bodies[tag] = Body(inner.freeze()[0], body.ports)
        if any(body.graph is not node.bodies[tag].graph for tag, body in bodies.items()):
            edited.update(node._replace(bodies=bodies))
    change(edited, path)


def held_constant(name: str, fact: Fact, names: tuple[str, ...] = ()) -> Node:
    """Return the record of a constant with its values in memory."""
    return Node(-1, name, "Const", "opset1", HeldConst.of(fact), 0, 1, (names,), None, {})


def save(
    model: Loaded, path: Path, weights: Path | None = None, *, halves: bool = False, xml_only: bool = False
) -> None:
    """Write a model as an ``.xml`` and a ``.bin``, which is beside it by default.

    With ``halves``, constants of f32 and f64 are stored in f16, each with a conversion, where they lose little by it.
    With ``xml_only``, no ``.bin`` is written: constants are those of the model's. InputError where they are not,
    RuntimeError where values of constants are not known, OSError where a file cannot be written.
    """
    plain, edited = opened(model)
    known = plain if edited.graph is plain.graph else closed(edited, plain)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = written(known, known.friendly_name, model.notes, halves=halves, version=VERSION)
    if not xml_only:
        made.save(path, weights)
    elif made.content.is_kept:
        made.save_xml(path)
    else:
        raise InputError("the edit changes constants or leaves some out, so that a .bin has to be written")


def _subtract(edited: MutableGraph, id: int, mean: Array) -> None:
    """Subtract a mean from what a Parameter feeds."""
    name, fact = edited.node(id).name, edited.facts[Outlet(id, 0)]
    readers = edited.consumers(Outlet(id, 0))
    constant = edited.add(held_constant(f"{name}/mean", Fact.of(fact.type, np.asarray(mean))), ())
    op = Subtract(auto_broadcast="numpy", axis=0)
    record = Node(-1, f"{name}/without_mean", "Subtract", "opset1", op, 2, 1, ((),), None, {})
    difference = edited.add(record, [Outlet(id, 0), Outlet(constant, 0)])
    for reader in readers:
        edited.connect(Outlet(difference, 0), Inlet(reader.node, reader.port))
