"""Determines whether NaN in a tensor spreads to matrix products or to outputs of the model."""

from __future__ import annotations

from typing import Final

from irrun.graph import Node, Outlet
from irrun.linter.scopes import ENDS, Scope

_CARRIERS: Final = frozenset({"Concat", "Convert"})
"""Layers besides views that do not change values."""

_DROPPING: Final = frozenset({"Power", "SegmentMax"})
"""Arithmetic that may drop a NaN by the specification; where OpenVINO drops one, the operation declares it."""

_CALCULATING: Final = frozenset({"arithmetic", "activation"})
_SUMMING: Final = frozenset({"convolution", "matrix", "normalization", "quantization"})
_RECURRENT: Final = ("Cell", "Sequence")


def spreads(scope: Scope, outlet: Outlet, *, computed: bool = False) -> bool:
    """Return whether NaN in a tensor certainly reaches a sum of products, or an output through arithmetic.

    A constant with NaN that is only compared, selected from, or returned may be data: a mask, or a placeholder.
    ``computed`` is true where the tensor is itself a result of arithmetic.
    """
    waiting, seen = [(outlet, computed)], set()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        tensor, computed = at
        for inlet in scope.graph.consumers(tensor):
            node = scope.graph.node(inlet.node)
            if node.type in ENDS and computed:
                return True
            if _sums(node):
                return True
            if node.type in _CARRIERS or (node.op is not None and node.op.view):
                waiting.append((Outlet(node.id, 0), computed))
            elif _calculates(node):
                waiting.append((Outlet(node.id, 0), computed or len(scope.graph.sources(node.id)) > 1))
    return False


def _sums(node: Node) -> bool:
    """Return whether a layer sums products of its inputs, or scales and shifts normalised values."""
    if node.op is None:
        return False
    return node.op.spec.category in _SUMMING or (node.op.spec.category == "sequence" and node.type.endswith(_RECURRENT))


def _calculates(node: Node) -> bool:
    if node.op is None or node.op.spec.category not in _CALCULATING:
        return False
    return node.type not in _DROPPING and "nan" not in node.op.departures
