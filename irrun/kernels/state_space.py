"""Linear recurrences over tokens, with a matrix as the state of each head.

Axes are batch, tokens, heads, then the sizes of a head. Each step over the tokens processes all samples and heads at
once. Inputs are never written to.
"""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.threads import Array


def gated_delta(query: Array, key: Array, value: Array, state: Array, gate: Array, beta: Array) -> tuple[Array, Array]:
    """Run the gated delta rule: return the output for each token, and the final state [batch, heads, key, value].

    ``query`` and ``key`` are [batch, tokens, groups, key], each group shared by equally many successive heads of
    ``value`` [batch, tokens, heads, value]. The state decays by exp(``gate``) and is corrected by ``beta`` times its
    error.
    """
    heads = value.shape[2]
    query = _for_heads(query * query.dtype.type(1 / math.sqrt(query.shape[-1] or 1)), heads)
    key = _for_heads(key, heads)
    decay = np.exp(gate)
    state = state.copy()
    output = np.empty_like(value)
    for token in range(value.shape[1]):
        state *= decay[:, token, :, None, None]
        row = key[:, token, :, None, :]
        lacking = (value[:, token] - np.matmul(row, state)[..., 0, :]) * beta[:, token, :, None]
        state += key[:, token, :, :, None] * lacking[..., None, :]
        output[:, token] = np.matmul(query[:, token, :, None, :], state)[..., 0, :]
    return output, state


def selective_scan(a: Array, dt: Array, b: Array, x: Array, c: Array, state: Array) -> tuple[Array, Array]:
    """Run the selective state-space recurrence: return the output for each token, and the final state.

    ``a`` is [heads], ``dt`` [batch, tokens, heads], ``x`` [batch, tokens, heads, size], ``b`` and ``c`` [batch, tokens,
    groups, state], each group shared by equally many successive heads; the state is [batch, heads, size, state].
    """
    heads = x.shape[2]
    decay = np.exp(a * dt)
    written = _for_heads(b, heads) * dt[..., None]
    read = _for_heads(c, heads)
    state = state.copy()
    output = np.empty_like(x)
    for token in range(x.shape[1]):
        state *= decay[:, token, :, None, None]
        state += x[:, token, :, :, None] * written[:, token, :, None, :]
        output[:, token] = np.matmul(state, read[:, token, :, :, None])[..., 0]
    return output, state


def _for_heads(x: Array, heads: int) -> Array:
    """Repeat every group on axis 2 for each of its heads."""
    return x if x.shape[2] == heads else np.repeat(x, heads // x.shape[2], axis=2)
