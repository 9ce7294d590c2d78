"""Share each head of keys and values between several heads of queries, without a copy for each.

Before: FusedAttention(q, Reshape(Broadcast(Unsqueeze(k))), Reshape(Broadcast(Unsqueeze(v))), mask)
After:  FusedAttention(q, k, v, mask) with shared=n

k and v are [batch, heads, length, depth]. Unsqueeze inserts axis 2, Broadcast repeats each head n times along it, and
Reshape joins it with the axis of heads.

Proof: all small numbers of batches, heads, queries and keys, within 1e-6, as products are in another order
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.ops.movement.broadcast import BroadcastV3
from irrun.optimize.patterns import first, same_size
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("FusedAttention"):
        op, inputs = node.op, graph.sources(node.id)
        if not isinstance(op, FusedAttention) or op.shared != 1 or op.key_transposed:
            continue
        key, value = (_unrepeated(graph, outlet) for outlet in inputs[1:3])
        if key is not None and value is not None and key[1] == value[1]:
            wanted = [inputs[0], key[0], value[0], *inputs[3:]]
            graph.replace(first(node), graph.fuse(op.sharing(key[1]), wanted, [node]))


def _unrepeated(graph: Rewriter, outlet: Outlet | None) -> tuple[Outlet, int] | None:
    """Return the tensor whose heads the chain that ends at ``outlet`` repeats, and the number of copies of each."""
    chain = []
    for type in ("Reshape", "Broadcast", "Unsqueeze"):
        node = None if outlet is None else graph.node(outlet.node)
        if node is None or node.type != type or not graph.sources(node.id):
            return None
        chain.append(node)
        outlet = graph.sources(node.id)[0]
    reshape, broadcast, unsqueeze = chain
    facts = [graph.fact(item) for item in (outlet, first(unsqueeze), first(broadcast), first(reshape))]
    shapes = [() if fact is None or fact.shape.dims is None else fact.shape.dims for fact in facts]
    if outlet is None or [len(shape) for shape in shapes] != [4, 5, 5, 4]:
        return None
    axis = graph.constant(graph.sources(unsqueeze.id)[1])
    if axis is None or axis.size != 1 or axis.reshape(-1)[0] % 5 != 2 or not isinstance(broadcast.op, BroadcastV3):
        return None
    before, after, result = shapes[0], shapes[2], shapes[3]
    target = graph.fact(graph.sources(broadcast.id)[1])
    sizes = None if target is None else target.dims()
    if broadcast.op.mode not in ("numpy", "bidirectional") or sizes is None or len(sizes) != 5:
        return None
    is_bidirectional = broadcast.op.mode == "bidirectional"
    for place, size in enumerate((*before[:2], None, *before[2:])):
        if size is not None and not (same_size(sizes[place], size) or (is_bidirectional and sizes[place] == 1)):
            return None
    count, heads = after[2], before[1]
    if not count.is_static or not heads.is_static or count.lo < 1 or result[1] != count * heads:
        return None
    if not same_size(result[0], before[0]) or not same_size(result[3], before[3]) or result[3].lo == 0 or heads.lo == 0:
        return None
    return outlet, count.lo
