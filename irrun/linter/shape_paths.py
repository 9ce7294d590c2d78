"""Traces a dynamic size to the input of the model that has it, through the layers in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.linter.scopes import Scope
from irrun.tensor import Dim, Fact

MOST_NAMED: Final = 5
"""The number of layers that are named; those in the middle of a longer path are only counted."""


def named(dim: Dim) -> tuple[str, ...]:
    """Return the dims of inputs in an integer's formula, as ``x[0]``; none where it has no formula."""
    if dim.expr is None:
        return ()
    return tuple(dict.fromkeys(atom for monomial, _ in dim.expr for atom in monomial))


def spelt(dim: Dim) -> str:
    """Return the integer as a formula over dims of inputs, such as ``12*x[0]``."""
    terms = []
    for monomial, factor in dim.expr or ():
        atoms = "*".join(monomial)
        terms.append(str(factor) if not atoms else atoms if factor == 1 else f"{factor}*{atoms}")
    return "+".join(terms) or str(dim)


def trail(scope: Scope, node: int, name: str, input: int = 0) -> str:
    """Return ``x[0] is a dynamic dim of "x" through "conv", "relu"`` for the path to an input of a node.

    The empty text where no path is known.
    """
    if scope.facts is None:
        return ""
    path: list[int] = []
    outlet = scope.graph.sources(node)[input]
    while outlet is not None:
        path.append(outlet.node)
        outlet = next(
            (
                source
                for source in scope.graph.sources(outlet.node)
                if source is not None and _mentions(scope.facts.get(source), name)
            ),
            None,
        )
    origin, *between = (scope.graph.node(id).name for id in reversed(path))
    through = f" through {_listed(between)}" if between else ""
    return f'{name} is a dynamic dim of "{origin}"{through}'


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        names = (*names[:2], "", *names[-2:])
        hidden = "…"
        return " → ".join(f'"{name}"' if name else hidden for name in names)
    return " → ".join(f'"{name}"' for name in names)


def _mentions(fact: Fact | None, name: str) -> bool:
    if fact is None or fact.shape.dims is None:
        return False
    return any(name in atom for dim in fact.shape.dims for atom in named(dim))
