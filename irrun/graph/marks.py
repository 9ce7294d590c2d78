"""Marks of layers that stay in f32, which files have as runtime information."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from irrun.document.info import find, value_of
from irrun.document.records import Info
from irrun.graph.graph import NO_INFO, Node, NodeInfo

_MARK: Final = "DisablePrecisionConversion_0"
_OLD_MARK: Final = "precise_0"
_ANY: Final = "dynamic"

_PRODUCTS: Final = frozenset({"ScaledDotProductAttention", "LSTMSequence", "GRUSequence", "RNNSequence"})
"""Layers that multiply, and do not say so by their ``factors``."""


def keeps_f32(info: Info, precision: str = "f16") -> bool:
    """Return whether a layer is not computed in half precision, f16 or bf16.

    ``DisablePrecisionConversion`` names types from and to which values are not converted, as ``dynamic:f16``. As in
    OpenVINO, a mark for f16 holds for bf16 too; older files have the mark ``precise``.
    """
    if not info:
        return False
    mark = find(info, _MARK)
    pairs = () if mark is None else _pairs(str(value_of(mark)))
    refused = {_ANY, "f16", precision}
    return find(info, _OLD_MARK) is not None or any(to in refused for kind, to in pairs if kind in (_ANY, "f32"))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for entry in text.split(";"):
        kind, _, types = entry.partition(":")
        yield from ((kind.strip(), type.strip()) for type in types.split(","))


def of_products(nodes: Iterable[Node]) -> NodeInfo:
    """Return the information of the first of some layers that multiplies and stays in f32; none where none does."""
    marked = (node for node in nodes if multiplies(node) and keeps_f32(node.info.layer))
    return next((node.info for node in marked), NO_INFO)


def multiplies(node: Node) -> bool:
    """Return whether a layer multiplies tensors, in one of the precisions that a model may be computed in."""
    op = node.op
    return op is not None and (bool(op.factors) or hasattr(op, "in_precision") or node.type in _PRODUCTS)
