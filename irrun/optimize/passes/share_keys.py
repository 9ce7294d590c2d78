"""Share each head of keys and values between several heads of queries, without a copy for each.

Before: FusedAttention(q, Reshape(Broadcast(Unsqueeze(k))), Reshape(Broadcast(Unsqueeze(v))), mask)
After:  FusedAttention(q, k, v, mask) with shared=n

k and v are [batch, heads, length, depth]. Unsqueeze inserts axis 2, Broadcast repeats each head n times along it, and
Reshape joins it with the axis of heads. In place of these there may be a Reshape, a Tile or a Concat, or a Gather in
place of all three. Where batch or length of the target may differ, a FusedExpand compares them.

Proof: all small numbers of batches, heads, queries and keys, within 1e-6, as products are in another order
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.ops._declared.fused.fused_views import KEPT, FusedExpand
from irrun.ops._declared.movement.broadcast import BroadcastV3
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.gather import GatherV7, GatherV8
from irrun.optimize.patterns import first, same_size
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Dim, Fact, Shape


def run(graph: Rewriter) -> None:
    for node in graph.nodes("FusedAttention"):
        op, inputs = node.op, graph.sources(node.id)
        if not isinstance(op, FusedAttention) or op.shared != 1 or op.key_transposed:
            continue
        key, value = (_unrepeated(graph, outlet) for outlet in inputs[1:3])
        if key is not None and value is not None and key.copies == value.copies:
            wanted = [inputs[0], _expanded(graph, key), _expanded(graph, value), *inputs[3:]]
            graph.replace(first(node), graph.fuse(op.copied(shared=key.copies), wanted, [node]))


class _Repeated(NamedTuple):
    """Heads that are repeated, and the number of copies of each; the Broadcast, if that may change other sizes, too."""

    heads: Outlet
    copies: int
    broadcast: Node | None = None


def _expanded(graph: Rewriter, repeated: _Repeated) -> Outlet:
    """Return heads with the sizes that a Broadcast gives them, but for the copies."""
    node = repeated.broadcast
    fact = None if node is None else graph.fact(first(node))
    if node is None or fact is None or fact.shape.dims is None:
        return repeated.heads
    shape = Shape([fact.shape.dims[axis] for axis in KEPT])
    return graph.fuse(FusedExpand(fact=Fact(fact.type, shape)), [repeated.heads, graph.sources(node.id)[1]], [node])


def _unrepeated(graph: Rewriter, outlet: Outlet | None) -> _Repeated | None:
    """Return the tensor whose heads the layers before ``outlet`` repeat."""
    node = _source(graph, outlet)
    if node is None:
        return None
    data = graph.sources(node.id)[0]
    if isinstance(node.op, GatherV7 | GatherV8):
        return _gathered(graph, node, data)
    repeated = _source(graph, data)
    if node.type != "Reshape" or repeated is None:
        return None
    split = graph.sources(repeated.id)[0]
    copied = _source(graph, split)
    before = None if copied is None else graph.sources(copied.id)[0]
    shapes = [_dims(graph, item) for item in (before, split, data, outlet)]
    if before is None or [len(shape) for shape in shapes] != [4, 5, 5, 4]:
        return None
    heads, (result, count) = shapes[0], (shapes[3], shapes[2][2])
    if copied is None or not _inserts(graph, copied, heads, shapes[1]):
        return None
    if not count.is_static or count.lo < 1 or not heads[1].is_static or heads[1].lo == 0 or result[3].lo == 0:
        return None
    if result[1] != count * heads[1] or not same_size(result[3], heads[3]):
        return None
    if _repeats(graph, repeated, split, heads):
        return _Repeated(before, count.lo) if same_size(result[0], heads[0]) else None
    batch = shapes[2][0]
    expands = _expands(graph, repeated, heads) and same_size(result[0], batch)
    return _Repeated(before, count.lo, repeated) if expands else None


def _source(graph: Rewriter, outlet: Outlet | None) -> Node | None:
    node = None if outlet is None else graph.node(outlet.node)
    return node if node is not None and graph.sources(node.id) else None


def _dims(graph: Rewriter, outlet: Outlet | None) -> tuple[Dim, ...]:
    fact = graph.fact(outlet)
    return () if fact is None or fact.shape.dims is None else fact.shape.dims


def _inserts(graph: Rewriter, node: Node, before: tuple[Dim, ...], after: tuple[Dim, ...]) -> bool:
    """Return whether a layer inserts axis 2."""
    if node.type == "Unsqueeze":
        axis = graph.constant(graph.sources(node.id)[1])
        return axis is not None and axis.size == 1 and axis.reshape(-1)[0] % 5 == 2
    return node.type == "Reshape" and after[2] == 1 and all(map(same_size, before, (*after[:2], *after[3:])))


def _gathered(graph: Rewriter, node: Node, data: Outlet | None) -> _Repeated | None:
    """Return the data of a Gather that repeats each head."""
    indices, axis = (graph.constant(outlet) for outlet in graph.sources(node.id)[1:3])
    dims = _dims(graph, data)
    if data is None or indices is None or axis is None or axis.size != 1 or len(dims) != 4 or not dims[1].is_static:
        return None
    count = indices.size // max(dims[1].lo, 1)
    if indices.ndim != 1 or axis.reshape(-1)[0] % 4 != 1 or count < 1:
        return None
    return _Repeated(data, count) if np.array_equal(indices, np.arange(dims[1].lo).repeat(count)) else None


def _repeats(graph: Rewriter, node: Node, data: Outlet | None, heads: tuple[Dim, ...]) -> bool:
    """Return whether a layer repeats axis 2 of its input, and no other axis."""
    sources = graph.sources(node.id)
    if isinstance(node.op, Concat):
        return node.op.axis % 5 == 2 and set(sources) == {data}
    if node.type == "Tile":
        counts = graph.constant(sources[1])
        return counts is not None and counts.size == 5 and set(np.delete(counts, 2).tolist()) == {1}
    sizes, is_bidirectional = _target(graph, node)
    return len(sizes) > 0 and all(
        same_size(size, wanted) or (is_bidirectional and size == 1) for size, wanted in zip(sizes, heads, strict=True)
    )


def _expands(graph: Rewriter, node: Node, heads: tuple[Dim, ...]) -> bool:
    """Return whether a Broadcast repeats axis 2 of its input, and perhaps the batch or the length."""
    sizes, is_bidirectional = _target(graph, node)
    return len(sizes) > 0 and all(
        same_size(sizes[axis], heads[axis]) or (is_bidirectional and sizes[axis] == 1) for axis in (1, 3)
    )


def _target(graph: Rewriter, node: Node) -> tuple[Sequence[Dim], bool]:
    """Return the sizes of the target of a Broadcast but that of axis 2, and whether these may be 1 where data are not.

    No sizes for another layer, or another number of axes.
    """
    if not isinstance(node.op, BroadcastV3) or node.op.mode not in ("numpy", "bidirectional"):
        return (), False
    target = graph.fact(graph.sources(node.id)[1])
    sizes = None if target is None else target.dims()
    if sizes is None or len(sizes) != 5:
        return (), False
    return [sizes[axis] for axis in KEPT], node.op.mode == "bidirectional"
