"""RNN, GRU and LSTM over whole sequences with default activations, with few and cheap calls in each step.

A sigmoid is computed by tanh of half its argument, so that one call serves all gates: their weights are halved in
advance. Weights of the state are stored as [gates, hidden, hidden] and multiplied from the right, which reads each once
and writes little. Gates are [gates, batch, hidden], each contiguous; a single sequence has no batch axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from irrun.kernels.aligned import aligned
from irrun.kernels.casting import rounded
from irrun.kernels.threads import Array

RNN_ACTIVATIONS: Final[dict[str, Callable[[Array, Array], object]]] = {
    "tanh": lambda x, out: np.tanh(x, out=out),
    "relu": lambda x, out: np.maximum(x, 0, out=out),
}


class _Steps:
    """The weights of one direction with reordered gates, each multiplied by a factor.

    What is multiplied by them is rounded to a precision, as the weights are already.
    """

    order: tuple[int, ...]
    factors: tuple[float, ...]

    def __init__(self, w: Array, r: Array, b: Array | None, precision: str) -> None:
        self.precision = precision
        self.w: Array = np.ascontiguousarray(self._gates(w).reshape(-1, w.shape[1]).T)
        self.r: Array = _aligned(self._gates(r).swapaxes(1, 2))
        self.b = None if b is None else self._gates(b[:, np.newaxis]).reshape(-1)

    def _gates(self, matrix: Array) -> Array:
        """Return [gates * hidden, size] as reordered and scaled [gates, hidden, size]."""
        gates: Array = matrix.reshape(len(self.order), -1, matrix.shape[1])[list(self.order)]
        gates *= np.asarray(self.factors, matrix.dtype)[:, np.newaxis, np.newaxis]
        return gates

    def inputs(self, x: Array) -> list[Array]:
        """Return the contribution of the input to the gates, one view [gates, batch, hidden] for each step."""
        batch, steps, size = x.shape
        product = np.matmul(rounded(x.reshape(batch * steps, size), self.precision), self.w)
        if self.b is not None:
            product += self.b
        gates = len(self.order)
        shares = product.reshape(batch, steps, gates, product.shape[1] // gates)
        return list(shares[0] if batch == 1 else shares.transpose(1, 2, 0, 3))

    def run(self, x: Array, states: Sequence[Array], reverse: bool, hidden: Array, ends: Sequence[Array]) -> None:
        """Write the hidden states to [batch, steps, hidden] and the final states to ``ends``.

        ``x`` is [batch, steps, size], states are [batch, hidden].
        """
        inputs, targets = self.inputs(x), list(hidden.swapaxes(0, 1))
        if len(x) == 1:
            states, ends, targets = ([item[0] for item in items] for items in (states, ends, targets))
        if reverse:
            inputs.reverse()
            targets.reverse()
        self.steps(inputs, targets, states, ends)

    def steps(
        self, inputs: Sequence[Array], targets: Sequence[Array], states: Sequence[Array], ends: Sequence[Array]
    ) -> None:
        """Run all steps: write the hidden state after each to its target, and the final states to ``ends``."""
        raise NotImplementedError


class RnnSteps(_Steps):
    """RNN steps, with one gate."""

    order: tuple[int, ...] = (0,)
    factors: tuple[float, ...] = (1.0,)

    def __init__(self, w: Array, r: Array, b: Array | None, precision: str, activation: str) -> None:
        super().__init__(w, r, b, precision)
        self.activation: Callable[[Array, Array], object] = RNN_ACTIVATIONS[activation]

    def steps(
        self, inputs: Sequence[Array], targets: Sequence[Array], states: Sequence[Array], ends: Sequence[Array]
    ) -> None:
        (state,) = states
        gates = np.empty((1, *state.shape), state.dtype)
        for given, target in zip(inputs, targets, strict=True):
            np.matmul(rounded(state, self.precision), self.r, gates)
            np.add(gates, given, gates)
            self.activation(gates[0], target)
            state = target
        np.copyto(ends[0], state)


class LstmSteps(_Steps):
    """LSTM steps: gates f, i, c, o, used in the order i, f, o, c."""

    order: tuple[int, ...] = (1, 0, 3, 2)
    factors: tuple[float, ...] = (0.5, 0.5, 0.5, 1.0)

    def steps(
        self, inputs: Sequence[Array], targets: Sequence[Array], states: Sequence[Array], ends: Sequence[Array]
    ) -> None:
        state = states[0]
        gates_and_cell = np.empty((5, *state.shape), state.dtype)
        gates, cell = gates_and_cell[:4], gates_and_cell[4]
        np.copyto(cell, states[1])
        sigmoids, output = gates[:3], gates[2]
        take_and_forget, candidate_and_cell = gates[:2], gates_and_cell[3:]
        products = np.empty((2, *state.shape), state.dtype)
        taken, kept = products
        r, half, precision = self.r, np.array(0.5, state.dtype), self.precision
        matmul, add, multiply, tanh = np.matmul, np.add, np.multiply, np.tanh
        for given, target in zip(inputs, targets, strict=True):
            matmul(rounded(state, precision), r, gates)
            add(gates, given, gates)
            tanh(gates, gates)
            multiply(sigmoids, half, sigmoids)
            add(sigmoids, half, sigmoids)
            multiply(take_and_forget, candidate_and_cell, products)
            add(taken, kept, cell)
            tanh(cell, taken)
            multiply(output, taken, target)
            state = target
        np.copyto(ends[0], state)
        np.copyto(ends[1], cell)


class GruSteps(_Steps):
    """GRU steps: gates z, r, h; with ``linear_before_reset``, a fourth part of the bias is for the state."""

    order: tuple[int, ...] = (0, 1, 2)
    factors: tuple[float, ...] = (0.5, 0.5, 1.0)

    def __init__(self, w: Array, r: Array, b: Array | None, precision: str, linear_before_reset: bool) -> None:
        size = r.shape[1]
        super().__init__(w, r, None if b is None else b[: 3 * size], precision)
        self.linear = linear_before_reset
        self.inner: Array | None = b[3 * size :].copy() if b is not None and linear_before_reset else None

    def steps(
        self, inputs: Sequence[Array], targets: Sequence[Array], states: Sequence[Array], ends: Sequence[Array]
    ) -> None:
        (state,) = states
        gates = np.empty((3, *state.shape), state.dtype)
        sigmoids, (update, reset, candidate), last = gates[:2], gates, gates[2:]
        scaled = np.empty_like(state)
        half, linear, inner = np.array(0.5, state.dtype), self.linear, self.inner
        first, r, r_last = (gates, self.r, None) if linear else (sigmoids, self.r[:2], self.r[2:])
        matmul, add, multiply, tanh = np.matmul, np.add, np.multiply, np.tanh
        precision = self.precision
        for given, target in zip(inputs, targets, strict=True):
            matmul(rounded(state, precision), r, first)
            add(sigmoids, given[:2], sigmoids)
            tanh(sigmoids, sigmoids)
            multiply(sigmoids, half, sigmoids)
            add(sigmoids, half, sigmoids)
            if r_last is not None:
                multiply(reset, state, scaled)
                matmul(rounded(scaled, precision), r_last, last)
            else:
                if inner is not None:
                    add(candidate, inner, candidate)
                multiply(candidate, reset, candidate)
            add(candidate, given[2], candidate)
            tanh(candidate, candidate)
            np.subtract(state, candidate, scaled)
            multiply(scaled, update, scaled)
            add(candidate, scaled, target)
            state = target
        np.copyto(ends[0], state)


def _aligned(array: Array) -> Array:
    """Return a copy aligned to cache lines, so that a product with a vector reads each line once."""
    copy = aligned(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


Steps = RnnSteps | LstmSteps | GruSteps


def run_directions(
    passes: Sequence[Steps], x: Array, states: Sequence[Array], reverse: Sequence[bool]
) -> tuple[Array, ...]:
    """Return all hidden states [batch, directions, steps, hidden], the final ones [batch, directions, hidden].

    ``x`` is [batch, steps, size], a state [batch, directions, hidden]. All sequences have full length. Hidden states
    are stored step by step.
    """
    batch, steps, _ = x.shape
    directions, size = len(passes), states[0].shape[-1]
    hidden = np.empty((batch, steps, directions, size), x.dtype).swapaxes(1, 2)
    ends = [np.empty((batch, directions, size), x.dtype) for _ in states]
    for index, one in enumerate(passes):
        own, after = ([item[:, index] for item in items] for items in (states, ends))
        one.run(x, own, reverse[index], hidden[:, index], after)
    return hidden, *ends
