"""Find compressed weights that their consumers can decompress a part at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import Inlet
from irrun.inference import Facts
from irrun.ops import Fact
from irrun.ops._declared.convolution.convolution import Convolution
from irrun.ops._declared.convolution.group_convolution import GroupConvolution
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.ops._declared.quantization.fake_quantize import FakeQuantize
from irrun.ops._declared.type.convert import Convert
from irrun.optimize.nf4 import is_exact
from irrun.optimize.settings import Settings
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, F4E2M1, F8E4M3, F8E5M2, F16, F32, I4, NF4
from irrun.tensor.rounding import decode, encode, round_to

if TYPE_CHECKING:
    from irrun.kernels.lookup import Lookup, Nibbles
    from irrun.kernels.packed_product import PackedMatrix

PASS: Final = "keep-packed"

INTEGERS: Final = "compute-in-integers"
"""The pass that takes weights of 8 bits where activations are quantised as well."""

LEAST_ELEMENTS: Final = 1 << 16
"""Weights with fewer elements are decompressed once, when the model is compiled."""

LEAST_OF_ALL: Final = 1 << 22
"""All weights are decompressed if they have fewer elements than this in total: as floats they fit the cache."""

LEAST_IN_LOW_MEMORY: Final = 1 << 12

MOST_LEVELS: Final = 256
"""Levels that a byte can tell apart."""

MOST_ROWS: Final = 48
"""Products that are known to have more rows are faster with decompressed weights."""

_FLOATS: Final = (F32, F16, BF16)

TABLES: Final = (NF4, F4E2M1, F8E4M3, F8E5M2)
"""Types of few bits that are no integers."""


class Decompression(NamedTuple):
    """The layers that decompress weights: (stored - zero) * scale, possibly reshaped.

    Numbers of a table are rounded to ``through``. ``nodes`` are those layers, including the constant if it has no other
    consumer.
    """

    stored: Outlet
    zero: Outlet | None
    scale: Outlet | None
    shape: tuple[int, ...]
    nodes: tuple[int, ...]
    through: ElementType


@dataclass(frozen=True)
class Packed:
    """The value (stored - zero) * scale, computed in f32, in shape ``shape``.

    ``stored`` holds integers of 4 or 8 bits, codes of a table or half floats. ``zero`` and ``scale`` broadcast to it;
    None means 0 and 1.
    """

    stored: Array | Nibbles | Lookup
    zero: Array | None
    scale: Array | None
    shape: tuple[int, ...]

    @cached_property
    def codes(self) -> Array | Lookup:
        """Return the stored values, with at least one byte for each element."""
        return self.stored if isinstance(self.stored, np.ndarray) else self.stored.in_bytes()

    def unpacked(self) -> Array:
        value = self.stored[:].astype(np.float32)
        if self.zero is not None:
            value -= self.zero
        if self.scale is not None:
            value *= self.scale
        return value.reshape(self.shape)

    def transposed(self) -> Packed:
        """Return a matrix with its axes exchanged."""
        zero, scale = (None if side is None else np.atleast_2d(side).T for side in (self.zero, self.scale))
        return Packed(self.codes.transpose(), zero, scale, self.shape[::-1])

    def matrix(self, transposed: bool) -> PackedMatrix | None:
        """Return the value as the right factor of a product; None if no kernel supports it.

        The value is [N, K] if ``transposed``, else [K, N].
        """
        from irrun.kernels.packed_product import PackedMatrix

        sides = [None if side is None else side.shape for side in (self.zero, self.scale)]
        order = _columns_first(self.stored.shape, sides, self.shape, transposed)
        if order is None:
            return None
        stored = self.stored if order == tuple(range(len(order))) else self.codes.transpose(*order)
        grouped = stored if len(order) == 3 else stored.reshape(len(stored), 1, stored.shape[1])
        zero, scale = (None if side is None else self._by_column(side, order) for side in (self.zero, self.scale))
        return PackedMatrix(grouped, scale, zero)

    def _by_column(self, side: Array, order: Sequence[int]) -> Array:
        transposed = _padded(side, len(order)).transpose(order)[..., 0]
        columns = self.stored.shape[order[0]]
        by_group = transposed if transposed.ndim == 2 else transposed[:, np.newaxis]
        return np.broadcast_to(by_group, (columns, by_group.shape[1]))


def chains(
    graph: Graph, facts: Facts, settings: Settings, shared: Mapping[Outlet, Array] | None = None
) -> Mapping[Outlet, Decompression]:
    """Return the outlets whose values stay compressed: large weights of Gathers and of products with few rows.

    Weights of any size are among them where they meet quantised activations. ``shared`` are the constants of another
    plan of the same graph, which then decides.
    """
    if not settings.enabled:
        return {}
    anyway = settings.low_memory or shared is not None
    found: dict[Outlet, Decompression] = {}
    kept: set[Outlet] = set()
    total = 0
    for node in graph.ordered():
        port = {"MatMul": 1, "Gather": 0, "Convolution": 1, "GroupConvolution": 1}.get(node.type)
        sources = graph.sources(node.id)
        outlet = sources[port] if port is not None and port < len(sources) else None
        if outlet is None or outlet in found or (shared is not None and outlet in shared):
            continue
        in_integers = INTEGERS not in settings.disabled and _meets_levels(graph, node)
        if not in_integers and (PASS in settings.disabled or isinstance(node.op, Convolution | GroupConvolution)):
            continue
        chain = _chain(graph, facts, outlet, settings, 0 if in_integers else None)
        if chain is None or not all(_takes(graph, facts, inlet, chain) for inlet in graph.consumers(outlet)):
            continue
        if in_integers:
            kept.add(outlet)
        if in_integers or anyway or not any(_has_many_rows(graph, facts, inlet) for inlet in graph.consumers(outlet)):
            found[outlet] = chain
            total += 0 if in_integers else math.prod(chain.shape)
    if anyway or total >= LEAST_OF_ALL:
        return found
    return {outlet: chain for outlet, chain in found.items() if outlet in kept}


SPLITS: Final = ("Split", "VariadicSplit")
"""Layers that cut a tensor."""
_MOVES: Final = ("Concat", "MaxPool", *SPLITS)
"""Layers besides views that keep the levels of a tensor."""


def _meets_levels(graph: Graph, node: Node) -> bool:
    """Return whether the second input of a product meets activations that have at most 256 levels."""
    data = graph.sources(node.id)[0]
    while data is not None and _moves(graph.node(data.node)):
        data = graph.sources(data.node)[0]
    fake = None if data is None else graph.node(data.node).op
    return node.type != "Gather" and isinstance(fake, FakeQuantize) and fake.levels <= MOST_LEVELS


def _moves(node: Node) -> bool:
    return node.type in _MOVES or (node.op is not None and node.op.view)


def _has_many_rows(graph: Graph, facts: Facts, inlet: Inlet) -> bool:
    """Return whether a consumer is a product known to have more than ``MOST_ROWS`` rows."""
    data = facts.inputs(inlet.node)[0]
    if graph.node(inlet.node).type != "MatMul" or data is None or data.shape.dims is None:
        return False
    return math.prod(dim.lo for dim in data.shape.dims[:-1]) > MOST_ROWS


def packed_values(
    found: Mapping[Outlet, Decompression], facts: Facts, known: Mapping[Outlet, Array]
) -> Mapping[Outlet, Packed]:
    """Return the compressed values; ``known`` holds their zero points and scales."""
    return {outlet: _packed(chain, facts[chain.stored], known) for outlet, chain in found.items()}


def _packed(chain: Decompression, fact: Fact, known: Mapping[Outlet, Array]) -> Packed:
    stored: Array | Nibbles | None = fact.stored if fact.stored is not None else fact.constant
    assert stored is not None
    if fact.stored is not None and fact.type.bits == 4:
        from irrun.kernels.lookup import Nibbles

        stored = Nibbles(fact.stored, signed=fact.type is I4)
    zero, scale = (None if outlet is None else known[outlet] for outlet in (chain.zero, chain.scale))
    if fact.type not in TABLES:
        return Packed(stored, zero, scale, chain.shape)
    from irrun.kernels.lookup import Lookup

    codes = encode(stored, fact.type.name) if isinstance(stored, np.ndarray) and stored.dtype == np.float32 else stored
    table = decode(np.arange(1 << fact.type.bits, dtype=np.uint8), fact.type.name)
    return Packed(Lookup(codes, round_to(table, chain.through.name), fact.type.name), zero, scale, chain.shape)


def _chain(graph: Graph, facts: Facts, outlet: Outlet, settings: Settings, least: int | None) -> Decompression | None:
    """Return the decompression that ends at an outlet, of 8 bits and ``least`` elements, or as the settings say."""
    end = facts.get(outlet)
    if end is None or not end.shape.is_static:
        return None
    zero: Outlet | None = None
    scale: Outlet | None = None
    nodes: list[int] = []
    is_reshaped = False
    at = outlet
    while True:
        node, fact = graph.node(at.node), facts[at]
        if node.type == "Const":
            break
        sources = graph.sources(node.id)
        if fact.type not in _FLOATS or (at != outlet and len(graph.consumers(at)) != 1):
            return None
        nodes.append(node.id)
        before = sources[0] if sources else None
        if node.type in ("Multiply", "Subtract") and zero is None and before is not None:
            side = sources[1]
            if not _is_side(graph, facts, side) or facts[before].shape != fact.shape:
                return None
            if node.type == "Multiply" and scale is None:
                scale = side
            elif node.type == "Subtract":
                zero = side
            else:
                return None
        elif node.type == "Reshape" and scale is None and zero is None and not is_reshaped:
            is_reshaped = True
        elif not isinstance(node.op, Convert):
            return None
        if before is None or before not in facts.of:
            return None
        at = before
    if not nodes or not _is_stored(facts[at], settings, least):
        return None
    first = graph.node(nodes[-1])
    through = F32 if is_exact(graph, facts, first) else facts[Outlet(first.id, 0)].type
    if len(graph.consumers(at)) == 1:
        nodes.append(at.node)
    elif facts[at].type is F16:
        return None
    return Decompression(at, zero, scale, end.shape.static, tuple(nodes), through)


def _is_stored(fact: Fact, settings: Settings, least: int | None) -> bool:
    """Return whether a constant is large and stored in few bits."""
    usual = LEAST_IN_LOW_MEMORY if settings.low_memory else LEAST_ELEMENTS
    if fact.shape.size.lo < (usual if least is None else least):
        return False
    if fact.type is F16:
        return fact.stored is not None and settings.low_memory and least is None
    is_table = fact.type in TABLES and least is None and (settings.compiled or settings.low_memory)
    return fact.is_constant and (is_table or (fact.type.is_integer and fact.type.bits <= 8))


def _is_side(graph: Graph, facts: Facts, outlet: Outlet | None) -> bool:
    """Return whether a scale or a zero point is a Const, possibly behind Converts."""
    while outlet is not None and outlet in facts.of:
        node = graph.node(outlet.node)
        if node.type == "Const":
            return facts[outlet].is_constant
        if not isinstance(node.op, Convert) or facts[outlet].type not in _FLOATS:
            return False
        outlet = graph.sources(node.id)[0]
    return False


def _takes(graph: Graph, facts: Facts, inlet: Inlet, chain: Decompression) -> bool:
    """Return whether a consumer has a kernel for compressed weights."""
    node, data = graph.node(inlet.node), facts.inputs(inlet.node)[0]
    made = facts.get(Outlet(node.id, 0))
    if made is None or data is None:
        return False
    sides = [None if outlet is None else facts[outlet].shape.static for outlet in (chain.zero, chain.scale)]
    stored = facts[chain.stored].shape.static
    if isinstance(node.op, Convolution | GroupConvolution):
        return made.type is F32 and inlet.port == 1 and _meets_levels(graph, node)
    if isinstance(node.op, MatMul) and inlet.port == 1:
        if made.type is not F32 or data.rank is None or data.rank < 2 or node.op.transpose_a:
            return False
        return _columns_first(stored, sides, chain.shape, node.op.transpose_b) is not None
    return inlet.port == 0 and node.type == "Gather" and _picks_rows(node, facts) and stored[0] == chain.shape[0]


def _picks_rows(node: Node, facts: Facts) -> bool:
    axis = facts.inputs(node.id)[2]
    where = None if axis is None else axis.ints()
    from irrun.ops._declared.movement.gather import GatherV1

    batches = 0 if isinstance(node.op, GatherV1) else getattr(node.op, "batch_dims", None)
    return where == (0,) and batches == 0


def _columns_first(
    stored: Sequence[int], sides: Sequence[Sequence[int] | None], shape: Sequence[int], transposed: bool
) -> tuple[int, ...] | None:
    """Return the permutation of axes that turns stored values into [N, K] or [N, G, S].

    None if a scale or a zero point varies within a group of a column.
    """
    if len(shape) != 2 or not math.prod(shape):
        return None
    if len(stored) == 2 and tuple(stored) == tuple(shape):
        order: tuple[int, ...] = (0, 1) if transposed else (1, 0)
    elif len(stored) == 3 and transposed and stored[0] == shape[0]:
        order = (0, 1, 2)
    elif len(stored) == 3 and not transposed and stored[2] == shape[1]:
        order = (2, 0, 1)
    else:
        return None
    for side in sides:
        if side is not None:
            padded = (*(1,) * (len(stored) - len(side)), *side)
            if padded[order[-1]] != 1:
                return None
    return order


def _padded(side: Array, rank: int) -> Array:
    return side.reshape((1,) * (rank - side.ndim) + side.shape)
