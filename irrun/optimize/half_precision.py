"""Compute half precision in f32: f16 and bf16 are formats of inputs, outputs and constants only.

Before: x f16[2,3] → Multiply(f16) → Convert(f16 → f32) → y
After:  x f32[2,3] → Multiply(f32) → y

Source: the CPU plugin of OpenVINO with ``INFERENCE_PRECISION_HINT`` f32, which turns every f16 and bf16 into f32 and
rounds to the declared type where a value leaves the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.tensor import Fact
from irrun.tensor.element_type import BF16, F16, F32, F64

HALVES: Final = frozenset({F16, BF16})


def in_f32(graph: Graph, facts: Facts) -> tuple[Graph, Facts]:
    """Return the graph and its facts with every f16 and bf16 replaced by f32.

    Bodies are left alone: each gets its own plan.
    """
    if HALVES.isdisjoint([fact.type for fact in facts.of.values()]):
        return graph, facts
    widened = graph.with_nodes([_converted(node, facts) for node in graph.ordered()])
    return widened, Facts(widened, _widened(facts.of), facts.bodies, facts.diagnostics)


def _converted(node: Node, facts: Facts) -> Node:
    """Convert to f32 instead of half precision, except from f64, so that an output is not rounded twice."""
    from irrun.ops._declared.type.convert import Convert

    op = node.op
    if not isinstance(op, Convert) or op.destination_type not in HALVES:
        return node
    (data,) = facts.inputs(node.id)
    return node if data is None or data.type is F64 else node._replace(op=Convert(destination_type=F32))


def _widened(facts: Mapping[Outlet, Fact]) -> dict[Outlet, Fact]:
    return {
        outlet: Fact(F32, fact.shape, None if fact.stored is not None else fact.value) if fact.type in HALVES else fact
        for outlet, fact in facts.items()
    }
