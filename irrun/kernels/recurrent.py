"""Recurrent cells (RNN, GRU, LSTM), and their application to sequences.

Weights are [gates * hidden, size], biases [gates * hidden]. The product of input and weights is computed once for all
steps; a step multiplies only the state. In a step, gates are [gates, batch, hidden], each contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np

from irrun.kernels.activation import sigmoid
from irrun.kernels.aligned import aligned
from irrun.kernels.casting import rounded
from irrun.kernels.threads import Array

States = tuple[Array, ...]

ACTIVATIONS: Final[dict[str, Callable[[Array, Array], object]]] = {
    "sigmoid": lambda x, out: np.copyto(out, sigmoid(x)),
    "tanh": np.tanh,
    "relu": lambda x, out: np.maximum(x, 0, out=out),
}


@dataclass(frozen=True, slots=True)
class DirectionWeights:
    """The weights of one direction: for the input, for the hidden state, and the bias."""

    w: Array
    r: Array
    b: Array | None

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.w, self.r, self.b) if array is not None)

    def rounded(self, precision: str) -> DirectionWeights:
        """Return the weights with those that are multiplied rounded to a precision."""
        return DirectionWeights(rounded(self.w, precision), rounded(self.r, precision), self.b)


@dataclass(frozen=True, slots=True)
class Cell:
    """The base of the cells: activations by name, and the bound of their arguments (0 or infinite for none).

    What is multiplied by weights is rounded to a ``precision``, as the weights are already. ``order`` are the gates in
    the order in which the cell uses them, ``sigmoids`` of which are first. ``usual`` are the activations of which there
    are compiled kernels.
    """

    order: ClassVar[tuple[int, ...]]
    sigmoids: ClassVar[int] = 0
    usual: ClassVar[tuple[tuple[str, ...], ...]]

    activations: Sequence[str]
    clip: float = 0.0
    precision: str = field(default="f32", kw_only=True)

    @property
    def is_usual(self) -> bool:
        """Return whether the activations are usual ones, without clipping."""
        return not 0 < self.clip < np.inf and tuple(self.activations)[: len(self.usual[0])] in self.usual

    def step(self, weights: StepWeights, given: Array, states: States, out: Array) -> States:
        """Return the states after one step, the hidden state first, which is written to ``out``.

        ``given`` is the share of the input in the gates.
        """
        raise NotImplementedError

    def activate(self, gates: Array, first: int, weights: StepWeights) -> None:
        """Overwrite gates with the activations: ``first`` of them with the first one, the others with the second."""
        if weights.are_halved:
            np.tanh(gates, gates)
            if first:
                sigmoids = gates[:first]
                np.multiply(sigmoids, weights.half, sigmoids)
                np.add(sigmoids, weights.half, sigmoids)
            return
        if 0 < self.clip < np.inf:
            np.clip(gates, -self.clip, self.clip, out=gates)
        for name, part in zip(self.activations, (gates[:first], gates[first:]), strict=False):
            ACTIVATIONS[name](part, part)


class StepWeights:
    """The weights of one direction of a cell, with the gates in its order.

    For many steps they are ``copied``: r is [gates, hidden, hidden], which is multiplied from the right, so that a
    product reads each weight once and writes little. Then the weights of usual sigmoids ``are_halved``: tanh computes
    these faster.
    """

    def __init__(self, cell: Cell, weights: DirectionWeights, *, copied: bool = True) -> None:
        self.cell = cell
        self.are_halved = copied and cell.is_usual and cell.sigmoids > 0
        self.half = np.array(0.5, weights.r.dtype)
        self._is_ordered = copied or cell.order == tuple(range(len(cell.order)))
        gates, size = len(cell.order), weights.r.shape[1]
        order = list(cell.order)

        def by_gate(part: Array) -> Array:
            """Return [gates * hidden, ...] as [gates, hidden, ...]."""
            whole: Array = part.reshape(gates, size, *part.shape[1:])
            if copied:
                whole = whole[order]
            if self.are_halved:
                whole[: cell.sigmoids] *= 0.5
            return whole

        self.w: Array = by_gate(weights.w).reshape(gates * size, weights.w.shape[1]).T
        self.r: Array = by_gate(weights.r).swapaxes(1, 2)
        if copied:
            self.w, self.r = np.ascontiguousarray(self.w), _aligned(self.r)
        b = weights.b
        self.b = None if b is None else by_gate(b[: gates * size]).reshape(-1)
        self.inner = None if b is None or len(b) == gates * size else b[gates * size :].copy()

    def inputs(self, x: Array) -> list[Array]:
        """Return the share of [batch, steps, size] in the gates, [gates, batch, hidden] for each step."""
        batch, steps, size = x.shape
        product = np.matmul(rounded(x.reshape(batch * steps, size), self.cell.precision), self.w)
        if self.b is not None:
            product += self.b
        shares = product.reshape(batch, steps, *self.r.shape[::2]).transpose(1, 2, 0, 3)
        return list(shares if self._is_ordered else shares[:, self.cell.order])

    def product(self, state: Array, gates: Array | None = None) -> Array:
        """Return the share of a hidden state in all gates, or in those of a part of ``r``."""
        product: Array = np.matmul(rounded(state, self.cell.precision), self.r if gates is None else gates)
        return product if self._is_ordered else product[list(self.cell.order)]


def _aligned(array: Array) -> Array:
    """Return a copy aligned to cache lines, so that a product with a vector reads each line once."""
    copy = aligned(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


class Rnn(Cell):
    """An RNN cell: h = f(x Wᵀ + h Rᵀ + b)."""

    __slots__ = ()
    order = (0,)
    usual = (("tanh",), ("relu",))

    def step(self, weights: StepWeights, given: Array, states: States, out: Array) -> States:
        gates = np.add(weights.product(states[0]), given, out=out[np.newaxis])
        self.activate(gates, 1, weights)
        return (out,)


class Lstm(Cell):
    """An LSTM cell with gates f, i, c, o, which are used in the order i, f, o, c."""

    __slots__ = ()
    order = (1, 0, 3, 2)
    sigmoids = 3
    usual = (("sigmoid", "tanh", "tanh"),)

    def step(self, weights: StepWeights, given: Array, states: States, out: Array) -> States:
        gates = weights.product(states[0])
        np.add(gates, given, gates)
        self.activate(gates, 3, weights)
        cell, candidate = gates[1], gates[3]
        np.multiply(candidate, gates[0], candidate)
        np.multiply(cell, states[1], cell)
        np.add(cell, candidate, cell)
        ACTIVATIONS[self.activations[2]](cell, candidate)
        np.multiply(gates[2], candidate, out)
        return out, cell


@dataclass(frozen=True, slots=True)
class Gru(Cell):
    """A GRU cell with gates z, r, h; ``linear_before_reset`` adds a fourth bias, for the state of h."""

    order = (0, 1, 2)
    sigmoids = 2
    usual = (("sigmoid", "tanh"),)

    linear_before_reset: bool = False

    def step(
        self, weights: StepWeights, given: Array, states: States, out: Array, attention: Array | None = None
    ) -> States:
        """Return the state after one step; ``attention`` [batch, 1] scales the update gate by 1 - attention."""
        (hidden,) = states
        gates = weights.product(hidden, None if self.linear_before_reset else weights.r[:2])
        sigmoids = gates[:2]
        np.add(sigmoids, given[:2], sigmoids)
        self.activate(sigmoids, 2, weights)
        update, reset = gates[0], gates[1]
        if self.linear_before_reset:
            last = gates[2:]
            if weights.inner is not None:
                np.add(last, weights.inner, last)
            np.multiply(last, reset, last)
        else:
            np.multiply(reset, hidden, reset)
            last = weights.product(reset, weights.r[2:])
        np.add(last, given[2:], last)
        self.activate(last, 0, weights)
        if attention is not None:
            np.multiply(update, 1 - attention, update)
        np.multiply(update, hidden - last[0], update)
        np.add(last[0], update, out)
        return (out,)


def run_cell(cell: Cell, x: Array, states: States, weights: DirectionWeights, *attention: Array) -> States:
    """Run one step: ``x`` is [batch, size], every state [batch, hidden]; ``attention`` [batch, 1] is for a ``Gru``."""
    own = StepWeights(cell, weights, copied=False)
    (given,) = own.inputs(x[:, np.newaxis])
    return cell.step(own, given, states, np.empty_like(states[0]), *attention)


def run_sequence(
    cell: Cell,
    x: Array,
    states: Sequence[Array],
    lengths: Array,
    weights: Sequence[DirectionWeights],
    reverse: Sequence[bool],
    *attention: Array,
) -> tuple[Array, ...]:
    """Run all steps, as `run_directions` does, with weights that serve this call only."""
    return run_directions([StepWeights(cell, own) for own in weights], x, states, lengths, reverse, *attention)


def run_directions(
    weights: Sequence[StepWeights],
    x: Array,
    states: Sequence[Array],
    lengths: Array,
    reverse: Sequence[bool],
    *attention: Array,
) -> tuple[Array, ...]:
    """Return all hidden states [batch, directions, steps, hidden], then each state after the last step of its sequence.

    ``x`` is [batch, steps, size], a state [batch, directions, hidden]; ``weights`` and ``reverse`` have an element for
    each direction; ``attention`` [batch, steps, 1] is for a ``Gru``. Steps from ``lengths[i]`` on are not part of
    sequence i: their hidden state is zero, and a reverse sequence begins at its own last step. A length of 0, or above
    the number of steps, yields final states of zero. Hidden states are stored step by step.
    """
    batch, steps, _ = x.shape
    hidden = np.empty((batch, steps, *states[0].shape[1:]), x.dtype).swapaxes(1, 2)
    ends = tuple(np.empty(state.shape, x.dtype) for state in states)
    for index, (own, back) in enumerate(zip(weights, reverse, strict=True)):
        first = tuple(state[:, index] for state in states)
        for end, last in zip(ends, _pass(own, x, first, lengths, back, hidden[:, index], *attention), strict=True):
            end[:, index] = last
    return hidden, *ends


def _pass(
    weights: StepWeights, x: Array, states: States, lengths: Array, reverse: bool, hidden: Array, *attention: Array
) -> States:
    """Write the hidden states of one direction to [batch, steps, hidden]; return the final states."""
    cell, steps = weights.cell, x.shape[1]
    is_ragged = bool(np.any(lengths != steps))
    inputs, outs = weights.inputs(x), list(hidden.swapaxes(0, 1))
    for step in range(steps)[:: -1 if reverse else 1]:
        after = cell.step(weights, inputs[step], states, outs[step], *[share[:, step] for share in attention])
        if is_ragged:
            is_inside = (step < lengths)[:, np.newaxis]
            after = tuple(np.where(is_inside, new, old) for new, old in zip(after, states, strict=True))
            np.copyto(outs[step], 0, where=~is_inside)
        states = after
    if is_ragged:
        ended = ((lengths > 0) & (lengths <= steps))[:, np.newaxis]
        states = tuple(np.where(ended, state, 0) for state in states)
    return states
