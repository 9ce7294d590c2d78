"""Recurrent cells (RNN, GRU, LSTM), and their application to sequences.

Weights are [gates * hidden, size], biases [gates * hidden]. The product of input and weights is computed once for all
steps; a step multiplies only the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from irrun.kernels.casting import rounded
from irrun.kernels.recurrent_steps import RNN_ACTIVATIONS, GruSteps, LstmSteps, RnnSteps, Steps, run_directions
from irrun.kernels.threads import Array

States = tuple[Array, ...]


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)), dtype=x.dtype)


def _relu(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0), dtype=x.dtype)


ACTIVATIONS: Final[dict[str, Callable[[Array], Array]]] = {"sigmoid": _sigmoid, "tanh": np.tanh, "relu": _relu}


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

    What is multiplied by weights is rounded to a ``precision``, as the weights are already.
    """

    activations: Sequence[str]
    clip: float = 0.0
    precision: str = field(default="f32", kw_only=True)

    def inputs(self, x: Array, weights: DirectionWeights) -> Array:
        """Return the contribution of the input to the gates of all steps; ``x`` is [..., size]."""
        product = np.matmul(rounded(x, self.precision), weights.w.T)
        if weights.b is not None:
            product += self.input_bias(weights.b)
        return np.asarray(product)

    def input_bias(self, b: Array) -> Array:
        return b

    def step(self, gates: Array, states: States, weights: DirectionWeights) -> States:
        """Return the states after one step, the hidden state first."""
        raise NotImplementedError

    def activate(self, index: int, gates: Array) -> Array:
        if 0 < self.clip < np.inf:
            gates = np.clip(gates, -self.clip, self.clip).astype(gates.dtype, copy=False)
        return ACTIVATIONS[self.activations[index]](gates)


class Rnn(Cell):
    """An RNN cell: h = f(x Wᵀ + h Rᵀ + b)."""

    __slots__ = ()

    def step(self, gates: Array, states: States, weights: DirectionWeights) -> States:
        return (self.activate(0, gates + rounded(states[0], self.precision) @ weights.r.T),)


class Lstm(Cell):
    """An LSTM cell with gates in the order f, i, c, o."""

    __slots__ = ()

    def step(self, gates: Array, states: States, weights: DirectionWeights) -> States:
        hidden, cell = states
        size = hidden.shape[-1]
        total = gates + rounded(hidden, self.precision) @ weights.r.T
        forget_input = self.activate(0, total[..., : 2 * size])
        candidate = self.activate(1, total[..., 2 * size : 3 * size])
        output = self.activate(0, total[..., 3 * size :])
        cell = forget_input[..., :size] * cell + forget_input[..., size:] * candidate
        return output * ACTIVATIONS[self.activations[2]](cell), cell


@dataclass(frozen=True, slots=True)
class Gru(Cell):
    """A GRU cell with gates in the order z, r, h; ``linear_before_reset`` adds a fourth bias, for the state of h."""

    linear_before_reset: bool = False

    def input_bias(self, b: Array) -> Array:
        return b[: 3 * (b.shape[0] // 4)] if self.linear_before_reset else b

    def step(self, gates: Array, states: States, weights: DirectionWeights, attention: Array | None = None) -> States:
        """Return the state after one step; ``attention`` [batch, 1] scales the update gate by 1 - attention."""
        hidden = states[0]
        size, near = hidden.shape[-1], rounded(hidden, self.precision)
        if self.linear_before_reset:
            recurrent = near @ weights.r.T
            update_reset = self.activate(0, gates[..., : 2 * size] + recurrent[..., : 2 * size])
            inner = recurrent[..., 2 * size :]
            if weights.b is not None:
                inner = inner + weights.b[3 * size :]
            inner = update_reset[..., size:] * inner
        else:
            update_reset = self.activate(0, gates[..., : 2 * size] + near @ weights.r[: 2 * size].T)
            inner = rounded(update_reset[..., size:] * hidden, self.precision) @ weights.r[2 * size :].T
        candidate = self.activate(1, gates[..., 2 * size :] + inner)
        update = update_reset[..., :size]
        if attention is not None:
            update = (1 - attention) * update
        return ((1 - update) * candidate + update * hidden,)


def run_cell(cell: Cell, x: Array, states: States, weights: DirectionWeights, *attention: Array) -> States:
    """Run one step: ``x`` is [batch, size], every state [batch, hidden]; ``attention`` [batch, 1] is for a ``Gru``."""
    return cell.step(cell.inputs(x, weights), states, weights, *attention)


def run_sequence(
    cell: Cell,
    x: Array,
    states: States,
    lengths: Array,
    weights: Sequence[DirectionWeights],
    reverse: Sequence[bool],
    *attention: Array,
) -> tuple[Array, ...]:
    """Return all hidden states [batch, directions, steps, hidden], then each state after the last step of its sequence.

    ``x`` is [batch, steps, size], a state [batch, directions, hidden]; ``weights`` and ``reverse`` have an element for
    each direction; ``attention`` [batch, steps, 1] is for a ``Gru``. Steps from ``lengths[i]`` on are not part of
    sequence i: their hidden state is zero, and a reverse sequence begins at its own last step. A length of 0, or above
    the number of steps, yields final states of zero.
    """
    if is_fast(cell, weights[0].w.dtype) and not attention and are_whole(x, lengths):
        return run_directions([fast_steps(cell, own) for own in weights], x, states, reverse)
    passes = [
        _pass(cell, x, tuple(state[:, index] for state in states), lengths, own, backward, *attention)
        for index, (own, backward) in enumerate(zip(weights, reverse, strict=True))
    ]
    return tuple(np.stack(parts, axis=1) for parts in zip(*passes, strict=True))


def is_fast(cell: Cell, dtype: np.dtype[Any]) -> bool:
    """Return whether ``fast_steps`` supports the cell: default activations without clipping."""
    if 0 < cell.clip < np.inf or dtype.kind != "f":
        return False
    names = tuple(cell.activations)
    if isinstance(cell, Rnn):
        return names[0] in RNN_ACTIVATIONS
    return names[:3] == ("sigmoid", "tanh", "tanh") if isinstance(cell, Lstm) else names[:2] == ("sigmoid", "tanh")


def are_whole(x: Array, lengths: Array) -> bool:
    """Return whether there are steps, and all sequences have full length."""
    return x.shape[1] > 0 and bool(np.all(lengths == x.shape[1]))


def fast_steps(cell: Cell, weights: DirectionWeights) -> Steps:
    """Return the fast implementation of one direction."""
    given = weights.w, weights.r, weights.b, cell.precision
    if isinstance(cell, Rnn):
        return RnnSteps(*given, cell.activations[0])
    return GruSteps(*given, cell.linear_before_reset) if isinstance(cell, Gru) else LstmSteps(*given)


def _pass(
    cell: Cell, x: Array, states: States, lengths: Array, weights: DirectionWeights, reverse: bool, *attention: Array
) -> tuple[Array, ...]:
    steps = x.shape[1]
    order = _order(lengths, steps) if reverse else None
    gates = cell.inputs(_steps_first(x, order), weights)
    shares = [_steps_first(share, order) for share in attention]
    ragged = bool(np.any(lengths != steps))
    active = (np.arange(steps)[:, None] < lengths)[..., None]
    hidden = np.zeros((steps, *states[0].shape), x.dtype)
    for t in range(steps):
        after = cell.step(gates[t], states, weights, *(share[t] for share in shares))
        if ragged:
            after = tuple(np.where(active[t], new, old) for new, old in zip(after, states, strict=True))
        states = after
        hidden[t] = np.where(active[t], after[0], 0) if ragged else after[0]
    if ragged:
        ended = ((lengths > 0) & (lengths <= steps))[:, None]
        states = tuple(np.where(ended, state, 0).astype(state.dtype, copy=False) for state in states)
    if order is not None:
        hidden = hidden[order.T, np.arange(x.shape[0])]
    return np.swapaxes(hidden, 0, 1), *states


def _order(lengths: Array, steps: int) -> Array:
    """Return the order of steps that reverses each sequence and leaves steps outside it in place."""
    step = np.arange(steps)
    last = np.clip(lengths.astype(np.int64), 0, steps)[:, None] - 1
    return np.where(step <= last, last - step, step)


def _steps_first(x: Array, order: Array | None) -> Array:
    """Reorder [batch, steps, size] to [steps, batch, size], with the steps of each sequence in its order."""
    return np.ascontiguousarray(np.swapaxes(x, 0, 1)) if order is None else x[np.arange(x.shape[0]), order.T]
