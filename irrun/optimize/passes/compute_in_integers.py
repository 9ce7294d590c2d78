"""Compute products of quantised activations and weights of 8 bits in integers.

Before: FakeQuantize(x) → Convolution(·, Const(i8) → Convert → Multiply(scale)) → Add(bias) → ReLU
After:  FusedQuantize(x) → FusedIntegerConvolution

Before: FusedIntegerConvolution → FakeQuantize → Convolution(·, Const(i8) → Convert → Multiply(scale))
After:  FusedIntegerConvolution → FusedIntegerConvolution, with bytes between them

Before: FusedIntegerConvolution → FakeQuantize → Add(residual) → ReLU
After:  FusedIntegerConvolution(residual)

Before: FakeQuantize → MaxPool → Convolution, or MaxPool → FakeQuantize → Convolution
After:  FusedQuantize → FusedMaxPool → FusedIntegerConvolution, with bytes between them; likewise Concat and Reshape

Before: Convolution → Clamp → FakeQuantize(a range of each channel) → GroupConvolution(a filter of each channel)
After:  FusedIntegerConvolution → FusedIntegerConvolution, whose factors include the ranges

A FakeQuantize with at most 256 levels and one range is an integer from 0 on, which a byte holds, times a step, plus a
constant. Sums of products of such integers with those of the weights are exact. An operation multiplies them by one
number for each channel, adds bias and summand, applies the activation, and rounds to the levels of the next
FakeQuantize, if there is one.

Each result is that of exact arithmetic with the error of a few roundings to f32; each level is that of a number within
such an error, so at most half a step and this error away from the exact number. The layers one after the other keep to
the same bound. Both agree but for numbers that are as near to the middle of two levels. NaN becomes the lowest level.

Proof: the sum of products is the written one (z3, tests/optimize/test_identities.py); the bound of a
level is above, and tests/kernels/compiled/test_bytes.py compares with exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.graph import Node, Outlet
from irrun.kernels.elementwise import Elementwise
from irrun.kernels.quantize import Levels
from irrun.ops import Fact, Op
from irrun.ops._declared.arithmetic.divide import Divide
from irrun.ops._declared.arithmetic.multiply import Multiply
from irrun.ops._declared.convolution.convolution import Convolution
from irrun.ops._declared.convolution.group_convolution import GroupConvolution
from irrun.ops._declared.fused.fused_conversions import FusedDequantize, FusedQuantize
from irrun.ops._declared.fused.fused_functions import FusedMaxPool
from irrun.ops._declared.fused.fused_products import (
    FusedIntegerConvolution,
    FusedIntegerMatMul,
    FusedIntegerProduct,
    IntegerEpilogue,
)
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.optimize.following_layers import FollowingLayers
from irrun.optimize.levels import (
    IntegerWeights,
    has_zero,
    integer_weights,
    levels_of,
    levels_of_channels,
    nearest_zero,
    rounded_weights,
)
from irrun.optimize.packed import SPLITS, Packed
from irrun.optimize.patterns import along, constant_operand, first
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array
from irrun.tensor.element_type import F32, U8

_PRODUCTS = ("Convolution", "GroupConvolution", "MatMul")

_MOVES = ("Concat", "FusedMaxPool", *SPLITS)
"""Layers besides views that do the same to levels as to the numbers that these mean."""


def run(graph: Rewriter) -> None:
    known: dict[tuple[Outlet, Levels], Outlet] = {}
    for node in list(graph.nodes("FakeQuantize")):
        levels = levels_of(graph, node)
        if levels is None:
            _split_channels(graph, node)
        elif any(_weights(graph, reader, levels) for reader in _readers(graph, node, levels)):
            _split(graph, node, levels, known)
    for node in list(graph.nodes(*_MOVES, views=True)):
        _move(graph, node)
    for node in list(graph.nodes(*_PRODUCTS)):
        _multiply(graph, node)
    for node in list(graph.nodes("FakeQuantize")):
        levels, source = levels_of(graph, node), graph.source(node.id, 0)
        if levels is not None and source is not None and isinstance(source.op, FusedIntegerProduct):
            _split(graph, node, levels, known)
    for node in list(graph.nodes("FusedQuantize")):
        _quantize_parts(graph, node)
    for node in list(graph.nodes("FusedQuantize")):
        _join(graph, node)


def _readers(graph: Rewriter, node: Node, levels: Levels) -> list[Node]:
    """Return the consumers of a tensor, directly or through layers that only move its elements."""
    found = []
    for inlet in (inlet for outlet in graph.outputs(node.id) for inlet in graph.consumers(outlet)):
        reader = graph.node(inlet.node)
        if not _moves(reader):
            found.append(reader)
        elif reader.type != "Concat" or all(_means(graph, one) == levels for one in graph.sources(reader.id)):
            found += _readers(graph, reader, levels)
    return found


def _moves(node: Node) -> bool:
    return node.type in _MOVES or (node.op is not None and node.op.view)


def _moved(graph: Rewriter, node: Node) -> Sequence[Outlet | None]:
    """Return the inputs whose elements a layer moves."""
    sources = graph.sources(node.id)
    return sources if node.type == "Concat" else sources[:1]


def _move(graph: Rewriter, node: Node) -> None:
    """Move levels instead of the numbers that they mean; take the largest ones before numbers are rounded."""
    sources, fact, after = _moved(graph, node), graph.fact(first(node)), graph.only_consumer(first(node))
    found = [_levels(graph, source) for source in sources]
    known = [each for each in found if each is not None]
    assert fact is not None
    if len(known) == len(found) and len({levels for _, levels in known}) == 1:
        inputs = [*(codes for codes, _ in known), *graph.sources(node.id)[len(known) :]]
        moved = graph.fuse(_of_bytes(node, fact), inputs, [node])
        for outlet in [each for each in graph.outputs(node.id) if graph.consumers(each)]:
            numbers, codes = graph.fact(outlet), Outlet(moved.node, outlet.port)
            assert numbers is not None
            graph.replace(outlet, graph.fuse(FusedDequantize(fact=numbers, levels=known[0][1]), [codes], [node]))
    elif after is not None and isinstance(after.op, FusedQuantize) and isinstance(node.op, FusedMaxPool):
        _quantize_first(graph, node, after)


def _of_bytes(node: Node, fact: Fact) -> Op:
    """Return the operation of a layer that moves elements, for levels."""
    op = node.op
    assert op is not None
    return (
        FusedMaxPool(fact=Fact(U8, fact.shape), kernel=op.kernel, windows=op.windows)
        if isinstance(op, FusedMaxPool)
        else op
    )


def _quantize_first(graph: Rewriter, node: Node, after: Node) -> None:
    """Exchange a layer that moves numbers and the rounding of these after it."""
    fact = graph.fact(first(after))
    assert fact is not None
    assert isinstance(after.op, FusedQuantize)
    parts = []
    for source in graph.sources(node.id):
        given = graph.fact(source)
        assert given is not None
        parts.append(graph.fuse(FusedQuantize(fact=Fact(U8, given.shape), levels=after.op.levels), [source], [after]))
    graph.replace(first(after), graph.fuse(_of_bytes(node, fact), parts, [node]))


def _quantize_parts(graph: Rewriter, node: Node) -> None:
    """Round results of products before they are concatenated, where they can do that themselves."""
    joined = graph.source(node.id, 0)
    if joined is None or joined.type != "Concat" or graph.only_consumer(first(joined)) is not node:
        return
    makers = [None if source is None else graph.node(source.node).op for source in graph.sources(joined.id)]
    if all(isinstance(maker, FusedIntegerProduct) for maker in makers):
        _quantize_first(graph, joined, node)


def _split(graph: Rewriter, node: Node, levels: Levels, known: dict[tuple[Outlet, Levels], Outlet]) -> None:
    """Replace a FakeQuantize by levels, which others of the same tensor may share, and the numbers that these mean."""
    data, fact = graph.sources(node.id)[0], graph.fact(first(node))
    assert data is not None
    assert fact is not None
    codes = known.get((data, levels))
    if codes is None:
        codes = known[data, levels] = graph.fuse(
            FusedQuantize(fact=Fact(U8, fact.shape), levels=levels), [data], [node]
        )
    graph.replace(first(node), graph.fuse(FusedDequantize(fact=fact, levels=levels), [codes], [node]))


def _split_channels(graph: Rewriter, node: Node) -> None:
    """Replace a FakeQuantize with a range of each channel by quotients, their levels, and products, between filters.

    A Clamp before it that is no narrower than the ranges is needless.
    """
    found, fact = levels_of_channels(graph, node), graph.fact(first(node))
    readers = [graph.node(inlet.node) for inlet in graph.consumers(first(node))]
    if found is None or fact is None or not all(_filters_channels(graph, reader, found[0]) for reader in readers):
        return
    levels, multiples = found
    data = graph.sources(node.id)[0]
    before = None if data is None else graph.node(data.node)
    if data is not None and before is not None and before.op is not None and graph.only_consumer(data) is node:
        low, high = (graph.constant(outlet) for outlet in graph.sources(node.id)[1:3])
        data = graph.sources(before.id)[0] if _holds(before.op.elementwise(), low, high) else data
    quotients = graph.fuse(Divide(auto_broadcast="numpy", axis=-1, m_pythondiv=True), [data, multiples], [node])
    codes = graph.fuse(FusedQuantize(fact=Fact(U8, fact.shape), levels=levels), [quotients], [node])
    numbers = graph.fuse(FusedDequantize(fact=fact, levels=levels), [codes], [node])
    graph.replace(first(node), graph.fuse(Multiply(auto_broadcast="numpy", axis=-1), [numbers, multiples], [node]))


def _filters_channels(graph: Rewriter, node: Node, levels: Levels) -> bool:
    """Return whether a layer is a product of levels in which each filter reads one channel."""
    weights = _weights(graph, node, levels) if isinstance(node.op, GroupConvolution) else None
    return weights is not None and weights.codes.shape[2] == 1


def _holds(function: Elementwise | None, low: Array | None, high: Array | None) -> bool:
    """Return whether a function changes no number in some ranges, and no number outside to one inside of them."""
    if function is None or function.name not in ("clamp", "relu") or low is None or high is None:
        return False
    least, most = function.parameters if function.name == "clamp" else (0.0, math.inf)
    return bool(least <= low.min() and high.max() <= most)


def _weights(graph: Rewriter, node: Node, levels: Levels) -> IntegerWeights | None:
    """Return the weights of a product of levels, if it can be computed in integers."""
    sources, op = graph.sources(node.id), node.op
    fact, given = graph.fact(first(node)), graph.fact(sources[0] if sources else None)
    if fact is None or fact.type is not F32 or given is None or given.rank is None:
        return None
    if isinstance(op, MatMul):
        if op.transpose_a or given.rank < 2:
            return None
        packed = _stored(graph, sources[1], 1, not op.transpose_b)
        return None if packed is None or len(packed.shape) != 2 else integer_weights(packed, packed.shape[0], levels)
    if not isinstance(op, Convolution | GroupConvolution):
        return None
    windows = op.windows(given.rank - 2)
    is_padded = windows.auto_pad in ("same_upper", "same_lower") or any((*windows.begins, *windows.ends))
    axes = 2 if isinstance(op, GroupConvolution) else 1
    packed = None if is_padded and not has_zero(levels) else _stored(graph, sources[1], axes, False)
    return None if packed is None else integer_weights(packed, math.prod(packed.shape[:axes]), levels)


def _stored(graph: Rewriter, outlet: Outlet | None, axes: int, is_transposed: bool) -> Packed | None:
    """Return weights as integers whose first axes are columns: those of the file, or what a FakeQuantize makes."""
    packed, values = graph.packed(outlet), graph.constant(outlet)
    if packed is not None and is_transposed:
        return packed.transposed() if packed.stored.shape == packed.shape else None
    if packed is not None or outlet is None or values is None or graph.node(outlet.node).type != "FakeQuantize":
        return packed
    values = values.T if is_transposed else values
    return rounded_weights(values, math.prod(values.shape[:axes])) if values.dtype == np.float32 else None


def _multiply(graph: Rewriter, node: Node) -> None:
    """Replace a product of dequantised levels, and the layers after it, by one of levels."""
    data, kernel = graph.sources(node.id)[:2]
    data, multiples = _multiples(graph, node, data)
    found = _levels(graph, data)
    weights = None if found is None else _weights(graph, node, found[1])
    fact = graph.fact(first(node))
    if found is None or weights is None or fact is None or fact.rank is None:
        if kernel is not None and not isinstance(node.op, MatMul):
            _unpack(graph, kernel)
        return
    codes, levels = found
    axis = fact.rank - 1 if isinstance(node.op, MatMul) else 1
    end = FollowingLayers(graph, node, axis=axis, size=len(weights.scale))
    zero = nearest_zero(levels)
    factor = multiples * levels.step * weights.scale * (1.0 if end.scale is None else end.scale.astype(np.float64))
    bias = (zero - levels.zero) * weights.sums * factor + (0.0 if end.bias is None else end.bias.astype(np.float64))
    between, end, nodes = _sum(graph, end)
    added = None if end.summand is None else _levels(graph, end.summand)
    after = IntegerEpilogue(
        zero,
        factor.astype(np.float32),
        bias.astype(np.float32),
        between,
        None if added is None else added[1],
        end.activation,
    )
    inputs = [codes, *([] if end.summand is None else [end.summand if added is None else added[0]])]
    graph.replace(first(end.last), graph.fuse(_product(graph, node, end.fact, weights, after), inputs, nodes))


def _multiples(graph: Rewriter, node: Node, data: Outlet | None) -> tuple[Outlet | None, Array | float]:
    """Return the numbers that are multiplied by one of each channel for a convolution, and these for each filter."""
    source, kernel = graph.source(node.id, 0), graph.fact(graph.sources(node.id)[1])
    found = None if source is None or source.type != "Multiply" else constant_operand(graph, source)
    if not isinstance(node.op, GroupConvolution) or found is None or kernel is None or _levels(graph, found[0]) is None:
        return data, 1.0
    groups, filters, depth, *kernel_sizes = kernel.shape.static
    row = along(found[1], 2 + len(kernel_sizes), 1, groups) if depth == 1 else None
    return (data, 1.0) if row is None else (found[0], np.repeat(row.astype(np.float64), filters))


def _sum(graph: Rewriter, end: FollowingLayers) -> tuple[Levels | None, FollowingLayers, list[Node]]:
    """Return the levels that a product is rounded to before a sum, and the layers after it that the epilogue applies.

    No levels if there is no such sum.
    """
    fake = graph.only_consumer(first(end.last))
    levels = None if fake is None else levels_of(graph, fake)
    if fake is None or levels is None or end.summand is not None or end.activation is not None:
        return None, end, end.nodes
    after = FollowingLayers(graph, fake, end.axis, end.size)
    if after.summand is None or after.scale is not None or after.bias is not None:
        return None, end, end.nodes
    return levels, after, [*end.nodes, *after.nodes]


def _product(
    graph: Rewriter, node: Node, fact: Fact, weights: IntegerWeights, epilogue: IntegerEpilogue
) -> FusedIntegerProduct:
    if isinstance(node.op, MatMul):
        return FusedIntegerMatMul(fact=fact, weights=weights.codes.T, epilogue=epilogue)
    assert isinstance(node.op, Convolution | GroupConvolution)
    grouped = weights.codes if isinstance(node.op, GroupConvolution) else weights.codes[None]
    return FusedIntegerConvolution(
        fact=fact, source=node.op, weights=grouped, epilogue=epilogue, accurate=graph.settings.accurate
    )


def _levels(graph: Rewriter, outlet: Outlet | None) -> tuple[Outlet, Levels] | None:
    """Return the levels that a tensor is dequantised from."""
    op = None if outlet is None else graph.node(outlet.node).op
    if outlet is None or not isinstance(op, FusedDequantize):
        return None
    codes = graph.sources(outlet.node)[0]
    return None if codes is None else (codes, op.levels)


def _means(graph: Rewriter, outlet: Outlet | None) -> Levels | None:
    """Return what the levels of a tensor mean that is quantised, or will be."""
    if outlet is None:
        return None
    found, node = _levels(graph, outlet), graph.maker(outlet)
    if node is None:
        return None
    if node.type in SPLITS:
        return _means(graph, graph.sources(node.id)[0])
    return levels_of(graph, node) if found is None else found[1]


def _unpack(graph: Rewriter, outlet: Outlet) -> None:
    """Make floats of weights that no other pass could take as integers."""
    packed = graph.packed(outlet)
    if packed is not None and graph.constant(outlet) is None:
        graph.set_constant(outlet, packed.unpacked())


def _join(graph: Rewriter, node: Node) -> None:
    """Let the product before it write the levels of its result."""
    data = graph.sources(node.id)[0]
    before = None if data is None else graph.node(data.node)
    divided = before if before is not None and before.type == "Divide" else None
    found = None if divided is None else constant_operand(graph, divided)
    if divided is not None and found is not None and graph.only_consumer(first(divided)) is node:
        data, before = found[0], graph.node(found[0].node)
        if not _scales(before.op) or graph.only_consumer(data) is not divided:
            return
    if data is None or before is None or not isinstance(before.op, FusedIntegerProduct):
        return
    assert isinstance(node.op, FusedQuantize)
    if before.op.epilogue.levels is not None:
        return
    floats = len(graph.consumers(data)) > 1
    op = before.op.with_levels(node.op.levels, None if found is None else found[1], floats=floats)
    made = graph.fuse(op, graph.sources(before.id), [before, *([] if divided is None else [divided]), node])
    graph.replace(first(node), Outlet(made.node, int(floats)))
    if floats:
        graph.replace(data, made)


def _scales(op: Op | None) -> bool:
    """Return whether a product of levels can divide the results of its function by a row."""
    if not isinstance(op, FusedIntegerProduct) or op.epilogue.activation is None:
        return False
    is_whole = isinstance(op, FusedIntegerMatMul) or len(op.weights) == 1
    return is_whole and op.epilogue.activation.name not in ("clamp", "relu")
