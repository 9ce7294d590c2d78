"""Drops findings that follow from others, so that one fault is one finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from irrun.diagnostics import Diagnostic, LayerRef, Severity
from irrun.document.places import layer_ref
from irrun.graph import Graph
from irrun.linter.context import Context
from irrun.linter.rule import Group, rules
from irrun.linter.selection import meant

_LOCAL: Final = (Group.OPERATIONS, Group.SHAPES_AND_TYPES)
"""Groups of errors that affect numbers only downstream of their layer."""


def causes_of(codes: Collection[str]) -> set[str]:
    """Return the codes of faults from which findings with the given codes may follow."""
    explaining = {code: rule.explains for code, rule in rules().items() if rule.explains}
    return {code for code, follow in explaining.items() if not meant(follow).isdisjoint(codes)}


def unexplained(found: Sequence[Diagnostic], context: Context) -> list[Diagnostic]:
    """Return the findings that do not follow from another one."""
    hidden = {id(item) for item in (*_explained(found, context), *_unsure(found, context))}
    return [item for item in found if id(item) not in hidden]


def _explained(found: Sequence[Diagnostic], context: Context) -> Iterator[Diagnostic]:
    """Yield the findings that a rule explains by one of its own."""
    for code in sorted({item.code for item in found}):
        rule = rules()[code]
        causes = [item for item in found if item.code == code and item.severity > Severity.INFO]
        if not rule.explains or not causes:
            continue
        follow = meant(rule.explains)
        guilty = rule().culprits(causes, context)
        behind = _followers(context.bound.graph, guilty)
        anywhere = any(cause.layer is None for cause in causes)
        for item in found:
            if item.code not in follow:
                continue
            is_other = item.code != code and (anywhere or item.layer is None or item.layer in guilty)
            if is_other or item.layer in behind:
                yield item


def _unsure(found: Sequence[Diagnostic], context: Context) -> Iterator[Diagnostic]:
    """Yield the findings that errors may cause: downstream of an error, or anywhere in the file."""
    known = rules()
    errors = [item for item in found if item.severity is Severity.ERROR]
    remarks = [item for item in found if known[item.code].needs_sound]
    if not errors or not remarks:
        return
    local = [item for item in errors if item.layer is not None and known[item.code].group() in _LOCAL]
    guilty = {item.layer for item in local if item.layer is not None}
    follow = guilty | _followers(context.bound.graph, guilty)
    for item in remarks:
        is_local = len(local) == len(errors) and known[item.code].needs_sound == "upstream"
        if not is_local or item.layer is None or item.layer in follow:
            yield item


def _followers(graph: Graph, guilty: Collection[LayerRef]) -> set[LayerRef]:
    """Return the layers downstream of some others, including those in bodies."""
    found: set[LayerRef] = set()
    _follow(graph, guilty, found, all=False)
    return found


def _follow(graph: Graph, guilty: Collection[LayerRef], found: set[LayerRef], *, all: bool) -> bool:
    """Add the layers downstream of ``guilty``, or with ``all`` every layer; return whether the net contains any."""
    touched: set[int] = set()
    for node in graph.ordered():
        fed = all or any(source is not None and source.node in touched for source in graph.sources(node.id))
        inside = [_follow(body.graph, guilty, found, all=fed) for body in node.bodies.values()]
        follows = fed or any(inside)
        layer = None if node.layer is None else layer_ref(node.layer)
        if follows and layer is not None:
            found.add(layer)
        if follows or layer in guilty:
            touched.add(node.id)
    return bool(touched)
