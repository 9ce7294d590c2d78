"""Run the passes that a graph needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from irrun.graph import Graph, Outlet
from irrun.inference import Facts
from irrun.jobs.progress import told
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.schedule import PASSES
from irrun.optimize.settings import Settings
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.optimize.packed import Packed


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
    own = [item for item in settings.passes if item.name not in settings.disabled]
    for item in told(PASSES, "optimising", unit="passes"):
        if own:
            from irrun.optimize.added import run_before

            run_before(item.name, own, rewriter)
        if item.name not in settings.disabled:
            item.run(rewriter)
    return rewriter.optimized()
