"""Keys and values that serve several heads of queries each, without a copy for each head.

Before: FusedAttention(q, Reshape(Broadcast(Unsqueeze(k))), Reshape(Broadcast(Unsqueeze(v))), mask)
After:  FusedAttention(q, k, v, mask), which shares keys

k and v are [B, G, S, E]; between, each head is repeated along a new axis behind the second.

Proof: all small numbers of batches, heads, queries and keys, within 1e-6, as products are in another order
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.ops.movement.broadcast import BroadcastV3
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Dim

AFTER = {"fuse-attention": "it completes an attention that is fused already"}


def run(graph: Rewriter) -> None:
    for node in graph.nodes("FusedAttention"):
        op, inputs = node.op, graph.sources(node.id)
        if not isinstance(op, FusedAttention) or op.shared != 1 or op.key_transposed:
            continue
        key, value = (_unrepeated(graph, outlet) for outlet in inputs[1:3])
        if key is not None and value is not None and key[1] == value[1]:
            wanted = [inputs[0], key[0], value[0], *inputs[3:]]
            new = FusedAttention(op.fact, op.scale, op.causal, False, key[1])
            graph.replace(first(node), graph.add(new, wanted, [node]))


def _unrepeated(graph: Rewriter, outlet: Outlet | None) -> tuple[Outlet, int] | None:
    """The tensor whose heads were repeated, and how often each."""
    chain = []
    for type in ("Reshape", "Broadcast", "Unsqueeze"):
        node = None if outlet is None else graph.node(outlet.node)
        if node is None or node.type != type or not graph.sources(node.id):
            return None
        chain.append(node)
        outlet = graph.sources(node.id)[0]
    joined, repeated, split = chain
    facts = [graph.fact(one) for one in (outlet, first(split), first(repeated), first(joined))]
    shapes = [() if fact is None or fact.shape.dims is None else fact.shape.dims for fact in facts]
    if outlet is None or [len(shape) for shape in shapes] != [4, 5, 5, 4]:
        return None
    axis = graph.constant(graph.sources(split.id)[1])
    if axis is None or axis.size != 1 or axis.reshape(-1)[0] % 5 != 2 or not isinstance(repeated.op, BroadcastV3):
        return None
    before, after, result = shapes[0], shapes[2], shapes[3]
    target = graph.fact(graph.sources(repeated.id)[1])
    sizes = None if target is None else target.dims()
    if repeated.op.mode not in ("numpy", "bidirectional") or sizes is None or len(sizes) != 5:
        return None
    both = repeated.op.mode == "bidirectional"
    for place, size in enumerate((*before[:2], None, *before[2:])):
        if size is not None and not (_same(sizes[place], size) or (both and sizes[place] == 1)):
            return None
    count, heads = after[2], before[1]
    if not count.is_static or not heads.is_static or count.lo < 1 or result[1] != count * heads:
        return None
    if not _same(result[0], before[0]) or not _same(result[3], before[3]) or result[3].lo == 0 or heads.lo == 0:
        return None
    return outlet, count.lo


def _same(a: Dim, b: Dim) -> bool:
    """Return whether two sizes are provably equal."""
    return a == b and (a.is_static or a.expr is not None)
