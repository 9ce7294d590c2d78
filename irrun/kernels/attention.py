"""Scaled dot-product attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    scale: float,
    *,
    causal: bool,
    sink: Array | None = None,
) -> Array:
    """softmax(query @ keyᵀ * scale + mask) @ value over the last two axes, broadcast over the others.

    A boolean mask is true where a key may be looked at; a float mask is added. With ``causal`` query i sees keys 0 to
    i. ``sink`` is one further score for each query, which takes its share of the softmax and has no value.
    """
    scores = np.matmul(query * query.dtype.type(scale), np.swapaxes(key, -1, -2))
    if causal:
        mask = np.tri(scores.shape[-2], scores.shape[-1], dtype=np.bool_)
    if mask is not None and mask.dtype == np.bool_:
        scores = np.where(mask, scores, scores.dtype.type(-np.inf))
    elif mask is not None:
        scores = scores + mask
    return np.asarray(np.matmul(_softmax(scores, sink), value))


def _softmax(scores: Array, sink: Array | None) -> Array:
    """Over the last axis; overwrites ``scores``."""
    if not scores.size:
        return scores
    peak = scores.max(axis=-1, keepdims=True)
    if sink is not None:
        peak = np.maximum(peak, sink)
        scores = np.broadcast_to(scores, (*peak.shape[:-1], scores.shape[-1]))
    scores = np.subtract(scores, peak, out=scores if scores.flags.writeable else None)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - peak)
    scores /= total
    return scores
