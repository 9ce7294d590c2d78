"""Propagation of NaN through a graph: to sums of products, and to the outputs of the model."""

from __future__ import annotations

from typing import Final

from irrun.graph import Node, Outlet
from irrun.linter.scopes import ENDS, Scope

_CARRIERS: Final = frozenset({"Concat", "Convert", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""Layers that do not change values."""

_DROPPING: Final = frozenset({"Clamp", "HSigmoid", "HardSigmoid", "Maximum", "Minimum", "Power", "ReLU", "SegmentMax"})
"""Arithmetic and activations that may map NaN to a number, in OpenVINO or by the specification."""

_CALCULATING: Final = frozenset({"arithmetic", "activation"})
_SUMMING: Final = frozenset({"convolution", "matrix", "normalization", "quantization"})
_RECURRENT: Final = ("Cell", "Sequence")


def spreads(scope: Scope, outlet: Outlet, computed: bool = False) -> bool:
    """Return whether NaN in a tensor certainly reaches a sum of products, or through arithmetic an output of the net.

    A constant with NaN that is only compared, selected from or returned may be data, such as a mask or a blank.
    ``computed`` says that the tensor itself is a result of arithmetic.
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
    """Return whether a layer sums products of its inputs, or scales and shifts normalized values."""
    if node.op is None:
        return False
    return node.op.spec.category in _SUMMING or (node.op.spec.category == "sequence" and node.type.endswith(_RECURRENT))


def _calculates(node: Node) -> bool:
    return node.op is not None and node.op.spec.category in _CALCULATING and node.type not in _DROPPING
