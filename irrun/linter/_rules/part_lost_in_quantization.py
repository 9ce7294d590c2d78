from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Graph, Outlet
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, inferred_layers
from irrun.ops._declared.activation.clamp import Clamp
from irrun.ops._declared.quantization.fake_quantize import FakeQuantize

_BOUNDS: Final = {
    "HardSigmoid": (0.0, 1.0),
    "Sigmoid": (0.0, 1.0),
    "SoftMax": (0.0, 1.0),
    "SoftSign": (-1.0, 1.0),
    "Sin": (-1.0, 1.0),
    "Cos": (-1.0, 1.0),
    "Tanh": (-1.0, 1.0),
}
"""The bounds of the outputs of some operations."""

_MOVING: Final = frozenset(
    {
        *("Broadcast", "Convert", "Gather", "MaxPool", "Reshape", "ShuffleChannels", "Slice", "Split", "Squeeze"),
        *("StridedSlice", "Tile", "Transpose", "Unsqueeze", "VariadicSplit"),
    }
)
"""Operations whose outputs are elements of their first input."""


class PartLostInQuantization(Rule):
    """A FakeQuantize rounds all values of one part of a Concat to the same number.

    ## What it does
    Looks at FakeQuantize after a Concat, in which the values of one input have known bounds, as after a Sigmoid, a
    SoftMax, a Tanh or a Clamp. Reports inputs whose bounds are rounded to one level.

    ## Why is this bad
    The range of the quantization comes from another part with larger values: with boxes of 0 to 640 and 256 levels the
    step is 2.5, and all scores of 0 to 1 become 0. The model detects nothing.

    ## Example
    A FakeQuantize of 0 to 640 with 256 levels after a Concat of boxes and sigmoid scores.

    ## Use instead
    A FakeQuantize for each part before the Concat, or none for the scores.
    """

    code = "IR610"
    name = "part-lost-in-quantization"
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(context, "FakeQuantize"):
            op, graph = item.node.op, item.scope.graph
            joined = _through(graph, graph.sources(item.node.id)[0])
            grid = _grid(op, item) if isinstance(op, FakeQuantize) else None
            if joined is None or grid is None or graph.node(joined.node).type != "Concat":
                continue
            low, step = grid
            for index, source in enumerate(graph.sources(joined.node)):
                bounds = _bounds(graph, source)
                if bounds is not None and len({round((bound - low) / step) for bound in bounds}) == 1:
                    name = graph.node(joined.node).name
                    what = f'the step is {step:.3g}, and input {index} of Concat "{name}" is between'
                    yield self.report(item, f"{what} {bounds[0]:g} and {bounds[1]:g}: all of it becomes one number")


def _grid(op: FakeQuantize, item: InferredLayer) -> tuple[float, float] | None:
    """Return the lowest input and the smallest distance of levels; None where they are unknown."""
    low, high = item.inputs[1].constant, item.inputs[2].constant
    if low is None or high is None or not low.size or not high.size:
        return None
    least, most = float(np.min(low)), float(np.max(high))
    steps = (np.asarray(high, np.float64) - np.asarray(low, np.float64)) / (op.levels - 1)
    step = float(np.min(steps))
    return (least, step) if step > 0 and np.isfinite(step) and most > least and np.ptp(low) == 0 else None


def _bounds(graph: Graph, outlet: Outlet | None) -> tuple[float, float] | None:
    """Return the least and the largest value of a tensor; None where they are unknown."""
    source = _through(graph, outlet)
    node = None if source is None else graph.node(source.node)
    if node is None:
        return None
    return (node.op.min, node.op.max) if isinstance(node.op, Clamp) else _BOUNDS.get(node.type)


def _through(graph: Graph, outlet: Outlet | None) -> Outlet | None:
    """Return the tensor whose elements arrive, before layers that only move them."""
    while outlet is not None and graph.node(outlet.node).type in _MOVING:
        outlet = graph.sources(outlet.node)[0]
    return outlet
