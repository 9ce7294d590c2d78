"""Sequences, compared with the equations of the cells, step by step in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from irrun.kernels.recurrent import DirectionWeights, Gru, Lstm, Rnn, run_sequence
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _lstm(x: Array, h: Array, c: Array, w: Array, r: Array, b: Array) -> tuple[Array, Array, Array]:
    seen = []
    for step in x.swapaxes(0, 1):
        f, i, g, o = np.split(step @ w.T + h @ r.T + b, 4, axis=-1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
        seen.append(h)
    return np.stack(seen, 1), h, c


def _gru(x: Array, h: Array, w: Array, r: Array, b: Array, linear: bool) -> tuple[Array, Array]:
    size = h.shape[-1]
    seen = []
    for step in x.swapaxes(0, 1):
        z, s, n = np.split(step @ w.T + b[: 3 * size], 3, axis=-1)
        z = _sigmoid(z + h @ r[:size].T)
        s = _sigmoid(s + h @ r[size : 2 * size].T)
        inner = s * (h @ r[2 * size :].T + b[3 * size :]) if linear else (s * h) @ r[2 * size :].T
        h = (1 - z) * np.tanh(n + inner) + z * h
        seen.append(h)
    return np.stack(seen, 1), h


def _rnn(x: Array, h: Array, w: Array, r: Array, b: Array) -> tuple[Array, Array]:
    seen = []
    for step in x.swapaxes(0, 1):
        h = np.tanh(step @ w.T + h @ r.T + b)
        seen.append(h)
    return np.stack(seen, 1), h


@merged()
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("hidden", [1, 24])
@pytest.mark.parametrize("kind", ["rnn", "lstm", "gru", "gru, linear before reset"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_both_directions(batch: int, hidden: int, kind: str, team: Callable[[int], None], threads: int) -> None:
    team(threads)
    draw = np.random.default_rng(11)
    steps, size = 30, 7
    gates = {"rnn": 1, "lstm": 4}.get(kind, 3)
    parts = gates + (kind.endswith("reset"))
    x = draw.standard_normal((batch, steps, size), dtype=np.float32)
    states = tuple(
        draw.standard_normal((batch, 2, hidden), dtype=np.float32) for _ in range(2 if kind == "lstm" else 1)
    )
    shapes = ((gates * hidden, size), (gates * hidden, hidden), (parts * hidden,))
    weights = [
        DirectionWeights(*(draw.standard_normal(shape, dtype=np.float32) / 2 for shape in shapes)) for _ in range(2)
    ]
    cells = {"rnn": Rnn(("tanh",)), "lstm": Lstm(("sigmoid", "tanh", "tanh"))}
    cell = cells.get(kind, Gru(("sigmoid", "tanh"), linear_before_reset=kind.endswith("reset")))
    result = run_sequence(cell, x, states, np.full(batch, steps), weights, (False, True))
    for index, own in enumerate(weights):
        data = (x if index == 0 else x[:, ::-1]).astype(np.float64)
        begin = [state[:, index].astype(np.float64) for state in states]
        assert own.b is not None
        exact: tuple[Array, ...]
        if kind == "lstm":
            exact = _lstm(data, begin[0], begin[1], own.w, own.r, own.b)
        elif kind == "rnn":
            exact = _rnn(data, begin[0], own.w, own.r, own.b)
        else:
            exact = _gru(data, begin[0], own.w, own.r, own.b, kind.endswith("reset"))
        hidden_states = exact[0] if index == 0 else exact[0][:, ::-1]
        np.testing.assert_allclose(result[0][:, index], hidden_states, atol=2e-5)
        for end, wanted in zip(result[1:], exact[1:], strict=True):
            np.testing.assert_allclose(end[:, index], wanted, atol=2e-5)
