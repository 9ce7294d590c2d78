"""Round the operands of products to half precision where that is asked for, and keep bf16 between products.

Before: x → FusedMatMul → y, with INFERENCE_PRECISION_HINT bf16
After:  x → FusedRound → FusedMatMul → y, with rounded weights

Before: FusedConvolution → FusedRound → FusedConvolution
After:  FusedConvolution → FusedConvolution, with bits of bf16 between them

Before: a, b → Concat → FusedRound → FusedConvolution
After:  a → FusedRound, b → FusedRound → Concat → FusedConvolution, likewise with a view

Before: a, b → MatMul → y
After:  a → FusedRound, b → FusedRound → MatMul → y

Before: x → FusedPackedMatMul → y, with weights in few bits
After:  x → FusedPackedMatMul → y, which rounds both if there are several rows

Before: q, k, v → FusedAttention → y, but for keys that are those of earlier runs, too
After:  q, k, v → FusedAttention → y, which rounds the operands of both products; likewise FusedRecurrence

Sums are f32, and so is all that is not multiplied: an operation declares its ``factors``. Bits of bf16 are numbers of
16 bits, which two products of the same tensor share. Layers that the file marks as f32 stay as they are. A convolution
of each channel by itself is limited by memory: it gains from bits that a product writes, and from no others. A
transposed convolution of quantised numbers stays in f32, which has more bits than its operands: rounding them would
change levels.

Proof: results differ as the hint asks. Each operand is rounded to nearest, by at most 2^-9 of its value in bf16 and
2^-12 in f16, so each product by at most twice that; sums are those of f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from irrun.graph import Node, Outlet
from irrun.graph.marks import keeps_f32
from irrun.kernels.casting import bf16_bits, rounded
from irrun.ops import Fact, Op
from irrun.ops._declared.fused.base import Fused
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.ops._declared.fused.fused_conversions import FusedRound
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops._declared.fused.fused_products import FusedConvolution, FusedProduct, FusedTransposedConvolution
from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
from irrun.ops._declared.movement.concat import Concat
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import BF16, F32, U16

_VIEWS = ("FusedChannels", "FusedView")
"""Other layers that move the bits of numbers as they move the numbers."""

_MOVES = ("Gather", "Broadcast")
"""Layers that order the sequences of a cache, or repeat its heads."""

_CACHES = ("FusedAppend", "ReadValue")
"""Layers that read variables."""


def run(graph: Rewriter) -> None:
    known: dict[tuple[Outlet, bool], Outlet] = {}
    for node in list(graph.nodes()):
        fact = graph.fact(first(node)) if node.outputs else None
        if fact is None or fact.type is not F32 or node.op is None or not graph.sources(node.id):
            continue
        if keeps_f32(node.info.layer, graph.settings.precision.name):
            continue
        if isinstance(node.op, FusedProduct):
            _multiply(graph, node, node.op, known)
        elif isinstance(node.op, FusedPackedMatMul | FusedRecurrence | FusedAttention):
            if isinstance(node.op, FusedAttention) and any(
                _is_cache(graph, key) for key in graph.sources(node.id)[1:3]
            ):
                continue
            _replace(graph, node, node.op.in_precision(graph.settings.precision), graph.sources(node.id))
        elif node.op.factors:
            _round_factors(graph, node, node.op.factors, known)
    for node in list(graph.nodes("FusedRound")):
        _round_earlier(graph, node, known)
    for node in list(graph.nodes("FusedRound")):
        _join(graph, node)


def _multiply(graph: Rewriter, node: Node, op: FusedProduct, known: dict[tuple[Outlet, bool], Outlet]) -> None:
    """Round the weights of a product now, and its data before, or in it where pairs of them do not fit."""
    precision = graph.settings.precision
    data, *rest = graph.sources(node.id)
    if (
        isinstance(op, FusedConvolution)
        and op.is_depthwise
        and not (precision is BF16 and _follows_product(graph, data))
    ):
        return
    if isinstance(op, FusedTransposedConvolution) and _is_quantized(graph, data):
        return
    if data is not None and precision is BF16 and op.takes_bf16:
        data = _rounded(graph, node, data, True, known)
    graph.replace(first(node), graph.fuse(op.in_precision(precision), [data, *rest], [node]))


def _is_quantized(graph: Rewriter, data: Outlet | None) -> bool:
    return data is not None and graph.node(data.node).type == "FakeQuantize"


def _follows_product(graph: Rewriter, data: Outlet | None) -> bool:
    """Return whether a product can write bits of bf16 in place of f32 that nobody moves on the way."""
    return data is not None and isinstance(graph.node(data.node).op, FusedProduct)


def _is_cache(graph: Rewriter, outlet: Outlet | None, caches: tuple[str, ...] = _CACHES) -> bool:
    """Return whether keys were appended to those of a variable, or of an input of the model."""
    while outlet is not None:
        node = graph.node(outlet.node)
        if node.type in caches:
            return True
        if node.type == "Concat":
            return any(_is_cache(graph, part, (*_CACHES, "Parameter")) for part in graph.sources(node.id))
        if node.op is None or not (node.op.view or node.type in (*_VIEWS, *_MOVES)):
            return False
        outlet = next(iter(graph.sources(node.id)), None)
    return False


def _round_factors(
    graph: Rewriter, node: Node, factors: tuple[int, ...], known: dict[tuple[Outlet, bool], Outlet]
) -> None:
    """Round inputs that are multiplied with each other."""
    assert node.op is not None
    inputs = list(graph.sources(node.id))
    for port in factors:
        outlet = inputs[port] if port < len(inputs) else None
        if outlet is not None:
            inputs[port] = _rounded(graph, node, outlet, False, known)
    _replace(graph, node, node.op, inputs)


def _replace(graph: Rewriter, node: Node, op: Op, inputs: Sequence[Outlet | None]) -> None:
    """Put an operation with as many outputs in the place of a node."""
    made = graph.fuse(op, inputs, [node])
    graph.replace_all(node.id, made.node)


def _rounded(
    graph: Rewriter, node: Node, outlet: Outlet, as_bits: bool, known: dict[tuple[Outlet, bool], Outlet]
) -> Outlet:
    """Return the rounded numbers of an outlet, which others may share."""
    if (outlet, as_bits) not in known:
        fact, value = graph.fact(outlet), graph.constant(outlet)
        assert fact is not None
        op = FusedRound(fact=Fact(U16 if as_bits else F32, fact.shape), precision=graph.settings.precision)
        made = known[outlet, as_bits] = graph.fuse(op, [outlet], [node])
        if value is not None:
            graph.set_constant(made, bf16_bits(value) if as_bits else rounded(value, op.precision.name))
    return known[outlet, as_bits]


def _round_earlier(graph: Rewriter, node: Node, known: dict[tuple[Outlet, bool], Outlet]) -> None:
    """Exchange a view or a concatenation and the rounding after it, up to what makes the numbers."""
    before = graph.source(node.id, 0)
    if before is None or before.op is None or graph.only_consumer(first(before)) is not node:
        return
    assert isinstance(node.op, FusedRound)
    sources, type = graph.sources(before.id), node.op.fact.type
    if not sources:
        # The view of a constant.
        return
    moved = len(sources) if _joins_pairs(graph, before) else 1
    if moved == 1 and not (before.op.view or before.type in _VIEWS):
        return
    parts, op = [source for source in sources[:moved] if source is not None], copy(before.op)
    rounded = [_rounded(graph, node, part, type is U16, known) for part in parts]
    if isinstance(op, Fused):
        op.fact = Fact(type, op.fact.shape)
    graph.replace(first(node), graph.fuse(op, [*rounded, *sources[moved:]], [before]))
    for part in dict.fromkeys(rounded):
        if isinstance(graph.node(part.node).op, FusedRound):
            _round_earlier(graph, graph.node(part.node), known)


def _joins_pairs(graph: Rewriter, node: Node) -> bool:
    """Return whether images are concatenated whose channels are pairs, which kernels copy as words."""
    op = node.op
    if not isinstance(op, Concat):
        return False
    facts = [graph.fact(source) for source in graph.sources(node.id)]
    sizes = [fact.shape[1] for fact in facts if fact is not None and fact.rank == 4]
    return (
        op.axis in (1, -3)
        and len(sizes) == len(facts) > 1
        and all(size.is_static and not size.lo % 2 for size in sizes)
    )


def _join(graph: Rewriter, node: Node) -> None:
    """Let the product before it write bits of its result."""
    data = graph.sources(node.id)[0]
    before = None if data is None else graph.node(data.node)
    if data is None or before is None or not isinstance(before.op, FusedProduct) or before.op.bf16:
        return
    assert isinstance(node.op, FusedRound)
    if node.op.fact.type is not U16:
        return
    floats = len(graph.consumers(data)) > 1
    made = graph.fuse(before.op.with_bf16(floats=floats), graph.sources(before.id), [before, node])
    graph.replace(first(node), Outlet(made.node, int(floats)))
    if floats:
        graph.replace(data, made)
