"""Drops findings that follow from others, so that one fault is one finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from irrun.diagnostics import Diagnostic, LayerRef, Severity
from irrun.document.places import layer_ref
from irrun.graph import Graph
from irrun.linter.constants import clashing
from irrun.linter.context import Context

IN_FILE: Final = {
    "IR111": ("IR",),
    "IR310": ("IR113",),
    "IR312": ("IR113",),
}
"""Codes of faults, each with the prefixes of codes that follow from it anywhere in the file."""

BEHIND: Final = {
    "IR408": ("IR304", "IR4", "IR9"),
    "IR503": ("IR304", "IR4", "IR6", "IR9"),
    "IR506": ("IR304", "IR4", "IR6", "IR9"),
}
"""Codes of faults of values, each with the prefixes of codes that follow at the same layer and downstream."""

ASIDE: Final = ("IR113", "IR210", "IR212", "IR405", "IR406", "IR507", "IR508", "IR6", "IR702")
"""Prefixes of codes that are reported only in a file without errors, which may cause them."""

_FLOATS: Final = ("IR601", "IR602", "IR603", "IR604", "IR605", "IR606", "IR608")
_LOCAL: Final = ("IR3", "IR4")
"""Prefixes of errors that affect floats only downstream of their layer."""


def causes_of(codes: Collection[str]) -> set[str]:
    """Return the codes of faults from which findings with the given codes may follow."""
    explained = IN_FILE | BEHIND
    return {cause for cause, begins in explained.items() if any(code.startswith(begins) for code in codes)}


def unexplained(found: Sequence[Diagnostic], context: Context) -> list[Diagnostic]:
    """Return the findings that do not follow from another one."""
    hidden = {id(item) for item in (*_in_file(found), *_behind(found, context), *_aside(found, context))}
    return [item for item in found if id(item) not in hidden]


def _in_file(found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    for cause in {item.code for item in found} & IN_FILE.keys():
        yield from (item for item in found if item.code != cause and item.code.startswith(IN_FILE[cause]))


def _behind(found: Sequence[Diagnostic], context: Context) -> Iterator[Diagnostic]:
    for cause in {item.code for item in found} & BEHIND.keys():
        guilty = {item.layer for item in found if item.code == cause and item.severity and item.layer is not None}
        if cause == "IR506":
            guilty |= {layer_ref(item.layer) for item in clashing(context)}
        follow = _followers(context.bound.graph, guilty)
        for item in found:
            hidden = follow if item.code == cause else follow | guilty
            if item.code.startswith(BEHIND[cause]) and item.layer in hidden:
                yield item


def _aside(found: Sequence[Diagnostic], context: Context) -> Iterator[Diagnostic]:
    """Yield the remarks that errors may cause: about numbers downstream of an error, others anywhere in the file."""
    errors = [item for item in found if item.severity is Severity.ERROR]
    remarks = [item for item in found if item.code.startswith(ASIDE)]
    if not errors or not remarks:
        return
    guilty = {item.layer for item in errors if item.layer is not None and item.code.startswith(_LOCAL)}
    everywhere = any(item.layer is None or not item.code.startswith(_LOCAL) for item in errors)
    follow = guilty | _followers(context.bound.graph, guilty)
    for item in remarks:
        if everywhere or item.code not in _FLOATS or item.layer is None or item.layer in follow:
            yield item


def _followers(graph: Graph, guilty: Collection[LayerRef]) -> set[LayerRef]:
    """Return the layers downstream of some others, including those in bodies."""
    found: set[LayerRef] = set()
    _follow(graph, guilty, found, all=False)
    return found


def _follow(graph: Graph, guilty: Collection[LayerRef], found: set[LayerRef], *, all: bool) -> bool:
    """Add the layers downstream of ``guilty``, or with ``all`` every layer; return whether the net contains any."""
    touched: set[int] = set()
    for node in graph:
        fed = all or any(source is not None and source.node in touched for source in graph.sources(node.id))
        inside = [_follow(body.graph, guilty, found, all=fed) for body in node.bodies.values()]
        follows = fed or any(inside)
        layer = None if node.layer is None else layer_ref(node.layer)
        if follows and layer is not None:
            found.add(layer)
        if follows or layer in guilty:
            touched.add(node.id)
    return bool(touched)
