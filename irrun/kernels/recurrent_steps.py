"""LSTM and GRU over whole sequences with the usual activations, written for few and cheap calls in each step.

A sigmoid is a hyperbolic tangent of half its argument, so that one call serves all gates: their weights are halved
ahead. Gates are kept as [gates, batch, hidden], where each of them is one run of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irrun.kernels.threads import Array


class LstmSteps:
    """Gates f, i, c, o as [4 * hidden, size]; used in the order f, i, o, c."""

    def __init__(self, w: Array, r: Array, b: Array | None) -> None:
        size = r.shape[1]
        order, factors = (0, 1, 3, 2), (0.5, 0.5, 0.5, 1)
        self.w, self.r, self.b = _gates(w, order, factors), _gates(r, order, factors), None
        if b is not None:
            self.b = _gates(b[:, np.newaxis], order, factors).reshape(4, 1, size)

    def run(self, x: Array, states: tuple[Array, ...], reverse: bool, hidden: Array) -> tuple[Array, ...]:
        """Hidden states are written to [batch, steps, hidden], x is [batch, steps, size]; returns the last states."""
        inputs = _inputs(x, self.w, self.b)
        state, cell = states[0], states[1].copy()
        gates = np.empty((4, *state.shape), x.dtype)
        multiply = _product(self.r, gates)
        forget, take, output, candidate = gates
        sigmoids = gates[:3]
        product = np.empty_like(cell)
        half = x.dtype.type(0.5)
        steps = range(x.shape[1])
        for t in reversed(steps) if reverse else steps:
            multiply(state)
            np.add(gates, inputs[t], out=gates)
            np.tanh(gates, out=gates)
            np.multiply(sigmoids, half, out=sigmoids)
            np.add(sigmoids, half, out=sigmoids)
            np.multiply(cell, forget, out=cell)
            np.multiply(take, candidate, out=product)
            np.add(cell, product, out=cell)
            np.tanh(cell, out=product)
            state = hidden[:, t]
            np.multiply(output, product, out=state)
        return state.copy(), cell


class GruSteps:
    """Gates z, r, h as [3 * hidden, size]; with ``linear_before_reset`` the bias has a fourth part, for the state."""

    def __init__(self, w: Array, r: Array, b: Array | None, linear_before_reset: bool) -> None:
        order, factors = (0, 1, 2), (0.5, 0.5, 1)
        size = r.shape[1]
        self.linear = linear_before_reset
        self.w, self.r, self.b, self.inner = _gates(w, order, factors), _gates(r, order, factors), None, None
        if b is not None:
            self.b = _gates(b[: 3 * size, np.newaxis], order, factors).reshape(3, 1, size)
        if b is not None and linear_before_reset:
            self.inner = b[3 * size :]

    def run(self, x: Array, states: tuple[Array, ...], reverse: bool, hidden: Array) -> tuple[Array, ...]:
        """Hidden states are written to [batch, steps, hidden], x is [batch, steps, size]; returns the last state."""
        inputs = _inputs(x, self.w, self.b)
        state = states[0]
        gates = np.empty((3, *state.shape), x.dtype)
        update, reset, candidate = gates
        sigmoids = gates[:2]
        scaled = np.empty_like(update)
        half = x.dtype.type(0.5)
        multiply = _product(self.r, gates) if self.linear else _product(self.r[:2], sigmoids)
        multiply_last = _product(self.r[2:], gates[2:])
        steps = range(x.shape[1])
        for t in reversed(steps) if reverse else steps:
            given = inputs[t]
            multiply(state)
            np.add(sigmoids, given[:2], out=sigmoids)
            np.tanh(sigmoids, out=sigmoids)
            np.multiply(sigmoids, half, out=sigmoids)
            np.add(sigmoids, half, out=sigmoids)
            if self.linear:
                if self.inner is not None:
                    np.add(candidate, self.inner, out=candidate)
                np.multiply(candidate, reset, out=candidate)
            else:
                np.multiply(reset, state, out=scaled)
                multiply_last(scaled)
            np.add(candidate, given[2], out=candidate)
            np.tanh(candidate, out=candidate)
            np.subtract(state, candidate, out=scaled)
            np.multiply(scaled, update, out=scaled)
            state = hidden[:, t]
            np.add(candidate, scaled, out=state)
        return (state.copy(),)


Steps = LstmSteps | GruSteps


def run_directions(
    passes: Sequence[Steps], x: Array, states: tuple[Array, ...], reverse: Sequence[bool]
) -> tuple[Array, ...]:
    """All hidden states [batch, directions, steps, hidden], then the last states [batch, directions, hidden].

    ``x`` is [batch, steps, size], a state [batch, directions, hidden]. No sequence is shorter than the others.
    """
    batch, steps = x.shape[:2]
    size = states[0].shape[-1]
    hidden = np.empty((batch, len(passes), steps, size), x.dtype)
    ends = [np.empty((batch, len(passes), size), x.dtype) for _ in states]
    for index, steps_of in enumerate(passes):
        own = tuple(state[:, index] for state in states)
        after = steps_of.run(x, own, reverse[index], hidden[:, index])
        for end, state in zip(ends, after, strict=True):
            end[:, index] = state
    return hidden, *ends


def _gates(matrix: Array, order: Sequence[int], factors: Sequence[float]) -> Array:
    """[gates * hidden, size] as [gates, hidden, size], in another order, each times a number."""
    gates: Array = matrix.reshape(len(order), -1, matrix.shape[1])[list(order)]
    gates *= np.asarray(factors, matrix.dtype)[:, np.newaxis, np.newaxis]
    return gates


def _product(r: Array, out: Array) -> Callable[[Array], object]:
    """What writes the products of a state [batch, hidden] and r [gates, hidden, hidden] to out [gates, batch, hidden].

    Of a single sequence it is a product of a matrix and a vector, which likes rows; of several it likes columns.
    """
    if out.shape[1] > 1:
        columns = np.ascontiguousarray(r.swapaxes(1, 2))
        return lambda state: np.matmul(state, columns, out=out)
    rows, flat = r.reshape(-1, r.shape[2]), out.reshape(-1)
    return lambda state: np.matmul(rows, state[0], out=flat)


def _inputs(x: Array, w: Array, b: Array | None) -> Array:
    """The share of the input in the gates, [steps, gates, batch, hidden], as a view."""
    batch, steps, size = x.shape
    product = np.matmul(x.reshape(batch * steps, size), w.swapaxes(1, 2))
    if b is not None:
        product += b
    shares: Array = product.reshape(len(w), batch, steps, -1).transpose(2, 0, 1, 3)
    return shares
