"""Constant expressions, computed once when a plan is made: decompressed weights, folded arithmetic."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.jobs.progress import told
from irrun.ops import Fold, OpError
from irrun.ops.blame import runner
from irrun.ops.calling import conform, empty, padded
from irrun.optimize.nf4 import is_exact
from irrun.tensor import Array, ElementType, Fact

MOST_GROWTH: Final = 64
"""The largest growth of a constant over its inputs, unless it has at most ``ALWAYS_BYTES``."""

ALWAYS_BYTES: Final = 1 << 24

KEPT_BYTES: Final = 1 << 16
"""Values of fewer bytes are kept although only constants are computed from them."""

_FACTS: Final = frozenset({"facts"})
"""Keyword arguments that a kernel may request and still be computed before the model runs."""


def constants(
    graph: Graph, facts: Facts, shared: Mapping[Outlet, Array] | None = None, left: Container[int] = ()
) -> Mapping[Outlet, Array]:
    """Return the values that depend on no Parameter and no variable, where a non-constant node consumes them.

    Within these expressions half precision is rounded by a Convert, not after each layer: weights that
    are stored in few bits are decompressed in f32. ``shared`` are values that are known already; nodes in ``left`` are
    not computed.
    """
    exact: dict[Outlet, Array] = dict(shared or {})
    results = set(graph.results)
    waiting: dict[Outlet, int] = {}
    for node in told(graph.ordered(), "folding constants", total=len(graph)):
        outlets = facts.outlets(node.id)
        sources = graph.sources(node.id)
        if node.id in left or (outlets and exact.keys() >= set(outlets)):
            continue
        if not sources:
            for outlet in outlets:
                value = facts[outlet].constant
                if value is not None:
                    exact[outlet] = value
            continue
        inputs = [None if source is None else exact.get(source) for source in sources]
        if [array for array in inputs if array is None]:
            continue
        if not _computable(node, [facts[outlet] for outlet in outlets], inputs):
            continue
        known = [facts[outlet] for outlet in outlets]
        nothing = empty(known)
        if nothing is not None:
            values = list(nothing)
        elif is_exact(graph, facts, node):
            values = [array for array in inputs if array is not None]
        else:
            values = _values(node, facts.inputs(node.id), inputs, known)
        exact.update(zip(outlets, values, strict=False))
        if values and node.id not in results:
            _forget(sources, graph, exact, waiting)
    return exact


def _forget(
    sources: Sequence[Outlet | None], graph: Graph, exact: dict[Outlet, Array], waiting: dict[Outlet, int]
) -> None:
    """Forget large intermediate values whose consumers are all computed."""
    for source in sources:
        if source is None or source not in exact or exact[source].nbytes < KEPT_BYTES:
            continue
        waiting[source] = waiting.get(source, len(graph.consumers(source))) - 1
        if waiting[source] == 0:
            del exact[source]


def leaving(value: Array, type: ElementType) -> Array:
    """Return a constant for consumers outside constant expressions: rounded to its type, and read-only."""
    view = conform(value, type).view()
    view.flags.writeable = False
    return view


def _computable(node: Node, outputs: Sequence[Fact], inputs: Sequence[Array | None]) -> bool:
    op = node.op
    if op is None or op.foldable is Fold.NEVER or not _FACTS.issuperset(op.spec.run_asks) or not outputs:
        return False
    if not all(fact.shape.is_static and fact.type.is_known for fact in outputs):
        return False
    size = sum(fact.shape.size.lo * fact.type.dtype.itemsize for fact in outputs)
    source = sum(array.nbytes for array in inputs if array is not None)
    return size <= max(ALWAYS_BYTES, MOST_GROWTH * source)


def _values(
    node: Node, known: Sequence[Fact | None], inputs: Sequence[Array | None], outputs: Sequence[Fact]
) -> list[Array]:
    assert node.op is not None
    op = node.op
    asked: dict[str, Any] = {}
    if "facts" in op.spec.run_asks:
        pairs = zip(known, inputs, strict=True)
        asked["facts"] = [None if fact is None else Fact(fact.type, fact.shape, value) for fact, value in pairs]
    try:
        with np.errstate(all="ignore"):
            returned = runner(op, outputs)(*padded(op, inputs), **asked)
    except (OpError, ValueError, IndexError, MemoryError):
        return []
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return [_carried(np.asarray(value), fact.type) for value, fact in zip(results, outputs, strict=True)]


def _carried(value: Array, type: ElementType) -> Array:
    """Return the value in the carrier of its type; narrow floats keep the precision of the computation."""
    return value.astype(type.dtype, copy=False) if _is_half(type) else conform(value, type)


def _is_half(type: ElementType) -> bool:
    return type.is_float and type.bits == 16
