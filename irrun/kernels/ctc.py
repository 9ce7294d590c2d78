"""Connectionist temporal classification: best path and loss."""

from __future__ import annotations

import numpy as np

from irrun.kernels.normalization import log_softmax
from irrun.kernels.threads import Array


def greedy_decode(scores: Array, active: Array, blank: int, *, merge_repeated: bool) -> tuple[Array, Array]:
    """Return the most probable class of each step, without blanks and, with ``merge_repeated``, without repetitions.

    ``scores`` is [batch, steps, classes]; ``active`` [batch, steps] is true for steps of the sequence. Returns the
    classes [batch, steps], padded with -1, and their number [batch].
    """
    classes = scores.argmax(axis=-1)
    kept = active & (classes != blank)
    if merge_repeated:
        kept[:, 1:] &= classes[:, 1:] != classes[:, :-1]
    return _compact(classes, kept)


def _compact(values: Array, kept: Array) -> tuple[Array, Array]:
    """Move the kept values of each row to its front, pad with -1, and count them."""
    result = np.full(values.shape, -1, np.int64)
    row, column = np.nonzero(kept)
    result[row, np.cumsum(kept, axis=-1)[row, column] - 1] = values[row, column]
    return result, kept.sum(axis=-1)


def ctc_loss(
    logits: Array,
    logit_lengths: Array,
    labels: Array,
    label_lengths: Array,
    blank: int,
    *,
    collapse_repeated: bool,
    merge_repeated: bool,
    unique: bool,
) -> Array:
    """Return the negative log-probability of all paths that decode to the labels, [batch].

    ``logits`` is [batch, steps, classes], ``labels`` [batch, labels]. ``collapse_repeated`` and ``unique`` preprocess
    the labels, ``merge_repeated`` merges repetitions in a path. Infinity where no path exists, whatever the logits.
    """
    labels, counts = _prepare(labels.astype(np.int64), label_lengths, collapse_repeated, unique)
    batch, steps, _ = logits.shape
    targets = np.full((batch, 2 * labels.shape[1] + 1), blank, np.int64)
    targets[:, 1::2] = np.maximum(labels, 0)
    is_label = np.zeros(targets.shape[1], np.bool_)
    is_label[1::2] = True
    # Before the first step a path is at the first blank, from where it reaches that or the first label.
    state = np.full(targets.shape, -np.inf)
    state[:, 0] = 0
    reached = state == 0
    skips = np.zeros(targets.shape, np.bool_)
    skips[:, 3::2] = True if not merge_repeated else targets[:, 3::2] != targets[:, 1:-2:2]
    stays = np.ones(targets.shape[1], np.bool_) if merge_repeated else ~is_label
    for step in range(steps):
        chances = np.take_along_axis(log_softmax(logits[:, step].astype(np.float64), -1), targets, axis=-1)
        after = np.where(stays, state, -np.inf)
        after = np.logaddexp(after, _shifted(state, 1, -np.inf))
        after = np.logaddexp(after, np.where(skips, _shifted(state, 2, -np.inf), -np.inf)) + chances
        reaches = (stays & reached) | _shifted(reached, 1, False) | (skips & _shifted(reached, 2, False))
        is_inside = (step < logit_lengths)[:, None]
        state = np.where(is_inside, np.where(reaches, after, -np.inf), state)
        reached = np.where(is_inside, reaches, reached)
    last = 2 * counts[:, None]
    whole = np.take_along_axis(state, last, axis=-1)
    open_end = np.where(counts[:, None] > 0, np.take_along_axis(state, np.maximum(last - 1, 0), axis=-1), -np.inf)
    total = np.logaddexp(whole, open_end)[:, 0]
    return -np.where(logit_lengths > 0, total, np.where(counts > 0, -np.inf, 0.0))


def _prepare(labels: Array, lengths: Array, collapse_repeated: bool, unique: bool) -> tuple[Array, Array]:
    """Preprocess the labels; return them padded with -1, and their number."""
    kept = np.arange(labels.shape[1]) < lengths[:, None]
    if unique:
        kept &= _first_of_equals(np.where(kept, labels, -1))
    elif collapse_repeated:
        kept[:, 1:] &= labels[:, 1:] != labels[:, :-1]
    return _compact(labels, kept)


def _first_of_equals(rows: Array) -> Array:
    """Return a mask of the first occurrence of each value in its row."""
    result = np.zeros(rows.shape, np.bool_)
    for row, mask in zip(rows, result, strict=True):
        mask[np.unique(row, return_index=True)[1]] = True
    return result


def _shifted(state: Array, by: int, fill: float | bool) -> Array:
    result = np.full(state.shape, fill)
    result[:, by:] = state[:, :-by]
    return result
