"""Run the passes in the order that they declare. Passes are found in their folder; no list names them."""

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
    """A pass: its name, its function, and the reason for running after each of certain other passes."""

    name: str
    run: Callable[[Rewriter], None]
    after: Mapping[str, str]


@functools.cache
def passes() -> tuple[Pass, ...]:
    """All passes, each after those that it names in ``AFTER``, otherwise in alphabetical order."""
    waiting = {item.name: item for item in map(_load, pkgutil.iter_modules(folder.__path__))}
    ordered: list[Pass] = []
    while waiting:
        ready = next(name for name in sorted(waiting) if not waiting.keys() & waiting[name].after.keys())
        ordered.append(waiting.pop(ready))
    return tuple(ordered)


def _load(found: pkgutil.ModuleInfo) -> Pass:
    module = importlib.import_module(f"{folder.__name__}.{found.name}")
    return Pass(found.name.replace("_", "-"), module.run, getattr(module, "AFTER", {}))


def optimize(
    graph: Graph,
    facts: Facts,
    known: Mapping[Outlet, Array],
    settings: Settings | None = None,
    packed: Mapping[Outlet, Packed] | None = None,
) -> tuple[Graph, Facts, Mapping[Outlet, Array]]:
    """Return an equivalent graph, its facts, and the values that depend on no input.

    ``packed`` holds further such values, stored in few bits, that are not among the ``known``.
    """
    settings = settings if settings is not None else Settings()
    if not settings.enabled:
        return graph, facts, known
    rewriter = Rewriter(graph, facts, known, packed, settings)
    for item in passes():
        if item.name not in settings.disabled:
            item.run(rewriter)
    return rewriter.freeze()


__all__ = ["Pass", "Settings", "optimize", "passes"]
