"""What becomes of a value that is no number: whether it makes the results of products or the outputs of a model so."""

from __future__ import annotations

from typing import Final

from irrun.graph import Node, Outlet
from irrun.linter.scopes import ENDS, Scope

_CARRIERS: Final = frozenset({"Concat", "Convert", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""The layers that leave values as they are."""

_DROPPING: Final = frozenset({"Clamp", "HSigmoid", "HardSigmoid", "Maximum", "Minimum", "Power", "ReLU", "SegmentMax"})
"""Arithmetic and activations that need not make NaN of a NaN, in OpenVINO or by the specification."""

_CALCULATING: Final = frozenset({"arithmetic", "activation"})
_SUMMING: Final = frozenset({"convolution", "matrix", "normalization", "quantization"})
_RECURRENT: Final = ("Cell", "Sequence")


def spreads(scope: Scope, outlet: Outlet, computed: bool = False) -> bool:
    """Whether NaN in a tensor surely reaches a sum of products, or an output of the net by way of arithmetic.

    Where a constant with NaN is only looked at, chosen from, or handed out, it may be data: a mask, or a blank.
    ``computed`` says that the tensor is a result of arithmetic itself.
    """
    waiting, seen = [(outlet, computed)], set()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        tensor, computed = at
        for inlet in scope.graph.consumers(tensor):
            node = scope.graph[inlet.node]
            if node.type in ENDS and computed:
                return True
            if _sums(node):
                return True
            if node.type in _CARRIERS:
                waiting.append((Outlet(node.id, 0), computed))
            elif _calculates(node):
                waiting.append((Outlet(node.id, 0), computed or len(scope.graph.sources(node.id)) > 1))
    return False


def _sums(node: Node) -> bool:
    """Whether a layer adds up products of its inputs, or scales and shifts what it has normalized."""
    if node.op is None:
        return False
    return node.op.spec.category in _SUMMING or (node.op.spec.category == "sequence" and node.type.endswith(_RECURRENT))


def _calculates(node: Node) -> bool:
    return node.op is not None and node.op.spec.category in _CALCULATING and node.type not in _DROPPING
