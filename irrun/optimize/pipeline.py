"""Runs the passes one after the other. They are found in their folder; there is no list of them."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import NamedTuple

import irrun.optimize.passes as folder
from irrun.graph import Graph, Outlet
from irrun.inference import Facts
from irrun.optimize.packed import Packed
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings
from irrun.tensor import Array


class Pass(NamedTuple):
    """A pass: its name, its place among the others, and what it does to a graph."""

    name: str
    order: int
    run: Callable[[Rewriter, Settings], None]


@functools.cache
def passes() -> tuple[Pass, ...]:
    """All passes, in the order in which they run."""
    found = []
    for module in pkgutil.iter_modules(folder.__path__):
        loaded = importlib.import_module(f"{folder.__name__}.{module.name}")
        found.append(Pass(module.name.replace("_", "-"), loaded.ORDER, loaded.run))
    return tuple(sorted(found, key=lambda item: (item.order, item.name)))


def optimize(
    graph: Graph,
    facts: Facts,
    known: Mapping[Outlet, Array],
    settings: Settings | None = None,
    packed: Mapping[Outlet, Packed] | None = None,
) -> tuple[Graph, Facts, Mapping[Outlet, Array]]:
    """A graph that computes the same, with its facts and the values that no input changes.

    ``packed`` are such values in few bits, which are not among the ``known``.
    """
    settings = settings if settings is not None else Settings()
    if not settings.enabled:
        return graph, facts, known
    rewriter = Rewriter(graph, facts, known, packed)
    for item in passes():
        if item.name not in settings.disabled:
            item.run(rewriter, settings)
    return rewriter.freeze()


__all__ = ["Pass", "Settings", "optimize", "passes"]
