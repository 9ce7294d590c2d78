"""A pass and a kernel as a user writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.graph import Outlet
from irrun.optimize import Rewriter
from irrun.optimize.added import Kernel, Pass


class DropAbs(Pass):
    """Remove the second of two layers Abs.

    Before: Abs(Abs(x)) → y
    After:  Abs(x) → y
    Proof:  ||x|| = |x| for every x, also for NaN and the infinities.
    """

    name, before = "drop-abs", "fuse-elementwise"

    def run(self, graph: Rewriter) -> None:
        for node in graph.nodes("Abs"):
            inner = graph.source(node.id, 0)
            if inner is not None and inner.type == "Abs":
                graph.replace(Outlet(node.id, 0), Outlet(inner.id, 0))


class OwnClamp(Kernel):
    """Clamp that adds 100, so that one sees where it runs."""

    operation, opset = "Clamp", 8

    def run(self, op: Any, data: Any) -> Any:
        return np.clip(data, op.min, op.max) + 100
