"""Checks and shape rules of recurrent cells and sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from irrun.diagnostics import amount
from irrun.kernels.recurrent import ACTIVATIONS, DirectionWeights
from irrun.ops import Array, Dim, Fact, Legacy, Op, OpError, Shape
from irrun.ops.departures import Departure, Layer
from irrun.ops.shapes import merge_dims

Direction = Literal["forward", "reverse", "bidirectional"]

LEFT_BY_CELLS: Final = (Legacy("activation_alpha", "activation_beta", since="2019 R1"),)
LEFT_BY_SEQUENCES: Final = (*LEFT_BY_CELLS, Legacy("axis", since="2019 R1"))
"""Attributes that Model Optimizer writes for cells and sequences but nothing reads."""


def ignores_lengths(port: int) -> Departure:
    """Return the departure of a sequence of open shape, whose lengths are an input."""

    def applies(op: Op, layer: Layer) -> str | None:
        data = layer.inputs[0].shape
        if data.is_static or not layer.varies(port):
            return None
        return f"ignores sequence_lengths of a {op.type} whose data {data} are dynamic"

    return Departure("ignores sequence_lengths where the shapes of the model are dynamic", applies)


def reversals(direction: Direction) -> tuple[bool, ...]:
    """Return, for each direction, whether it runs in reverse."""
    return (False, True) if direction == "bidirectional" else (direction == "reverse",)


def weights_of(w: Array, r: Array, b: Array) -> list[DirectionWeights]:
    """Return the weights of each direction."""
    return [DirectionWeights(*parts) for parts in zip(w, r, b, strict=True)]


def activation_names(given: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """Return the names in lower case, or the default without names; OpError for an unknown name, or too few."""
    names = tuple(name.lower() for name in given) or tuple(default)
    for name in names:
        if name not in ACTIVATIONS:
            raise OpError(
                f"activation {name} is not one of {', '.join(ACTIVATIONS)}",
                attribute="activations",
            )
    if len(names) < len(default):
        raise OpError(f"got {amount(len(names), 'activation')}, expected {len(default)}", attribute="activations")
    return names


class Sizes:
    """The sizes shared by the inputs of one layer; each mismatch raises an OpError that names the input."""

    def __init__(self, hidden: int) -> None:
        self.batch = Dim()
        self.hidden = Dim.exactly(hidden) if hidden > 0 else Dim()
        self._attribute = hidden

    def state(self, index: int, fact: Fact) -> None:
        """Merge the sizes of an input [batch, ..., hidden]."""
        if fact.shape.dims is None:
            return
        self.batch = merge_dims(self.batch, fact.shape[0], "the batch sizes", input=index)
        self._merge_hidden(index, fact.shape[-1])

    def data(self, index: int, fact: Fact) -> Dim:
        """Merge the batch size of an input [batch, ...], and return its last size."""
        if fact.shape.dims is None:
            return Dim()
        self.batch = merge_dims(self.batch, fact.shape[0], "the batch sizes", input=index)
        return fact.shape[-1]

    def gates(self, index: int, fact: Fact, axis: int, gates: int) -> None:
        """Merge the size of an input on ``axis``, which is the number of gates times the hidden size."""
        if fact.shape.dims is None:
            return
        size = fact.shape[axis]
        if not size.compatible(self.hidden * gates):
            raise OpError(
                f"input {index} has shape {fact.shape}; {size} is not {gates} times the hidden size {self.hidden}",
                input=index,
            )
        if size.is_static and size.lo % gates == 0:
            self._merge_hidden(index, Dim.exactly(size.lo // gates))

    def _merge_hidden(self, index: int, size: Dim) -> None:
        merged = self.hidden.merge(size)
        if merged is None:
            named = "hidden_size" if self._attribute > 0 else "the hidden size of the other inputs"
            raise OpError(f"input {index} has hidden size {size}, but {named} is {self.hidden}", input=index)
        self.hidden = merged


def infer_cell(
    hidden_size: int,
    gates: int,
    x: Fact,
    states: Sequence[Fact],
    w: Fact,
    r: Fact,
    b: Fact | None,
    bias_gates: int | None = None,
) -> tuple[Shape, ...]:
    """Return the shape [batch, hidden] of each state after one step."""
    sizes = Sizes(hidden_size)
    width = sizes.data(0, x)
    for index, state in enumerate(states, start=1):
        sizes.state(index, state)
    at = 1 + len(states)
    _weights(sizes, at, w, r, b, width, gates, gates if bias_gates is None else bias_gates)
    return tuple(Shape([sizes.batch, sizes.hidden]) for _ in states)


def infer_sequence(
    hidden_size: int,
    gates: int,
    direction: Direction,
    x: Fact,
    states: Sequence[Fact],
    lengths: Fact,
    w: Fact,
    r: Fact,
    b: Fact,
    bias_gates: int | None = None,
) -> tuple[Shape, ...]:
    """Return the shape of all hidden states, [batch, directions, steps, hidden], then that of each final state."""
    sizes = Sizes(hidden_size)
    width = sizes.data(0, x)
    count = Dim.exactly(len(reversals(direction)))
    for index, state in enumerate(states, start=1):
        sizes.state(index, state)
        _directions(index, state, 1, count, direction)
    at = 1 + len(states)
    sizes.data(at, lengths)
    for index, weights in enumerate((w, r, b), start=at + 1):
        _directions(index, weights, 0, count, direction)
    _weights(sizes, at + 1, w, r, b, width, gates, gates if bias_gates is None else bias_gates)
    steps = x.shape[1] if x.shape.dims is not None else Dim()
    last = [Shape([sizes.batch, count, sizes.hidden]) for _ in states]
    return Shape([sizes.batch, count, steps, sizes.hidden]), *last


def _weights(sizes: Sizes, at: int, w: Fact, r: Fact, b: Fact | None, width: Dim, gates: int, bias_gates: int) -> None:
    if r.shape.dims is not None:
        sizes._merge_hidden(at + 1, r.shape[-1])
    sizes.gates(at, w, -2, gates)
    if w.shape.dims is not None:
        merge_dims(width, w.shape[-1], "the input size and the columns of W", input=at)
    sizes.gates(at + 1, r, -2, gates)
    if b is not None:
        sizes.gates(at + 2, b, -1, bias_gates)


def _directions(index: int, fact: Fact, axis: int, count: Dim, direction: Direction) -> None:
    if fact.shape.dims is not None and not fact.shape[axis].compatible(count):
        raise OpError(
            f"input {index} has {amount(fact.shape[axis], 'direction')}, expected {count} ({direction})", input=index
        )
