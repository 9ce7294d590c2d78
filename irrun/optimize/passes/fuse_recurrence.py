"""Pack the constant weights of recurrent sequences for the kernel, once.

Before: LSTMSequence(x, states, lengths, W, R, B)
After:  FusedRecurrence(x, states, lengths)

Proof: all sizes of up to 2 and lengths of up to 3, within 1e-6, as sums are in another order
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node, Outlet
from irrun.optimize.patterns import is_plain
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("LSTMSequence", "GRUSequence", "RNNSequence"):
        _fuse(graph, node)


def _fuse(graph: Rewriter, node: Node) -> None:
    from irrun.kernels.recurrent import Cell
    from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
    from irrun.ops._declared.sequence.gru_sequence import GRUSequence
    from irrun.ops._declared.sequence.lstm_sequence import LSTMSequenceV1, LSTMSequenceV5
    from irrun.ops._declared.sequence.recurrent import reversals, weights_of
    from irrun.ops._declared.sequence.rnn_sequence import RNNSequence

    op = node.op
    if not isinstance(op, LSTMSequenceV1 | LSTMSequenceV5 | GRUSequence | RNNSequence):
        return
    *changing, w, r, b = graph.sources(node.id)
    constants = [value for value in map(graph.constant, (w, r, b)) if value is not None]
    facts = [graph.fact(Outlet(node.id, port)) for port in range(node.outputs)]
    known = [fact for fact in facts if fact is not None]
    if len(constants) != 3 or len(known) != len(facts) or not all(is_plain(fact) for fact in known):
        return
    cell: Cell = op.cell()
    if not cell.is_usual:
        return
    fused = FusedRecurrence(facts=known, cell=cell, weights=weights_of(*constants), reverse=reversals(op.direction))
    new = graph.fuse(fused, changing, [node])
    graph.replace_all(node.id, new.node)
