"""Which findings of a file follow from others: one fault is one finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from irrun.diagnostics import Diagnostic, LayerRef, Severity
from irrun.graph import Graph
from irrun.graph.bind import layer_ref
from irrun.linter.constants import clashing
from irrun.linter.context import Context

IN_FILE: Final = {
    "IR111": ("IR",),
    "IR310": ("IR113",),
    "IR312": ("IR113",),
}
"""Codes of faults that others in the same file follow from, with the beginnings of the codes of those."""

BEHIND: Final = {
    "IR408": ("IR304", "IR4", "IR9"),
    "IR503": ("IR304", "IR4", "IR6", "IR9"),
    "IR506": ("IR304", "IR4", "IR6", "IR9"),
}
"""Codes of faults of values, with the beginnings of the codes that follow at their layer and at those behind it."""

ASIDE: Final = ("IR113", "IR210", "IR212", "IR405", "IR406", "IR507", "IR508", "IR6", "IR702")
"""The beginnings of codes that are worth a word only in a file without errors, from which they may follow."""

_FLOATS: Final = ("IR601", "IR602", "IR603", "IR604", "IR605", "IR606", "IR608")
_LOCAL: Final = ("IR3", "IR4")
"""The beginnings of codes of errors that leave the floats of all layers but those behind them as they are."""


def causes_of(codes: Collection[str]) -> set[str]:
    """The codes of the findings that some others may follow from."""
    explained = IN_FILE | BEHIND
    return {cause for cause, begins in explained.items() if any(code.startswith(begins) for code in codes)}


def unexplained(found: Sequence[Diagnostic], context: Context) -> list[Diagnostic]:
    """The findings without those that follow from another one."""
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
    """The remarks that errors may be the cause of: of numbers only where an error is upstream, or of the file."""
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
    """The layers that depend on some others, bodies included."""
    found: set[LayerRef] = set()
    _follow(graph, guilty, found, all=False)
    return found


def _follow(graph: Graph, guilty: Collection[LayerRef], found: set[LayerRef], *, all: bool) -> bool:
    """Add the layers of a net that depend on the guilty ones, or all of them; whether the net holds any of either."""
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
