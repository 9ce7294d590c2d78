"""Normalization of each row of a matrix: softmax, and normalization by mean and variance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.functions import add, assign, exp
from irrun_kernels.native import Address, Read, Write, floats, inlined, intrinsic, kernel, record, summing
from irrun_kernels.real import log
from irrun_kernels.vectors import Vectors


class Softmax(NamedTuple):
    """Arguments of `softmax`. ``x`` and ``out`` are contiguous [rows, columns]; a task has some of the rows.

    With ``is_log``, results are logarithms.
    """

    x: Read[Address]
    out: Write[Address]
    rows: int
    columns: int
    rows_per_task: int
    is_log: int


@kernel(Softmax)
def softmax(arguments: Any, task: int, workspace: int) -> None:
    """exp(x) / sum(exp(x)) for each row, or the logarithm of that."""
    c = record(arguments)
    for row in range(task * c.rows_per_task, min(c.rows, (task + 1) * c.rows_per_task)):
        x = floats(c.x + 4 * row * c.columns, c.columns)
        out = floats(c.out + 4 * row * c.columns, c.columns)
        assign(out, x)
        peak = largest(c.out + 4 * row * c.columns, c.columns)
        if c.is_log == 0:
            scale(out, np.float32(1) / exponentials(out, peak))
        else:
            _lower(out, peak)
            _lower(out, np.float32(log(np.float64(_total_of_exponentials(out)))))


@intrinsic("float32", "int64", "int64")
def largest(v: Vectors, row: Any, count: Any) -> Any:
    """Return the largest of ``count`` f32 from an address on, apart from NaN; -inf where there is none."""
    peaks = v.variable(v.every(-np.inf))

    def compare(first: Any, mask: Any) -> None:
        value = v.load(v.beyond(row, first, 4), 0, mask)
        inside = value if mask is None else v.builder.select(mask.lanes, value, v.every(-np.inf))
        v.builder.store(v.largest(inside, v.builder.load(peaks)), peaks)

    v.for_each_vector(count, compare)
    return v.largest_lane(v.builder.load(peaks))


@inlined
def _lower(x: Any, by: Any) -> None:
    for i in range(len(x)):
        x[i] -= by


@summing
def _total_of_exponentials(x: Any) -> Any:
    result = np.float32(0)
    for i in range(len(x)):
        result += exp(x[i])
    return result


@summing
def total(x: Any) -> Any:
    """The sum of a row."""
    result = np.float32(0)
    for i in range(len(x)):
        result += x[i]
    return result


@inlined
def exponentials(x: Any, peak: Any) -> Any:
    """Replace x by exp(x - peak); returns the sum."""
    for i in range(len(x)):
        x[i] = exp(x[i] - peak)
    return total(x)


@inlined
def scale(x: Any, factor: Any) -> None:
    """Multiply a row."""
    for i in range(len(x)):
        x[i] *= factor


class LayerNorm(NamedTuple):
    """Arguments of `layer_norm`. ``x`` and ``out`` are contiguous [rows, columns], ``gamma`` and ``beta`` rows or 0."""

    x: Read[Address]
    out: Write[Address]
    gamma: Read[Address]
    beta: Read[Address]
    rows: int
    columns: int
    rows_per_task: int
    eps: float
    eps_outside: int
    centred: int


@kernel(LayerNorm)
def layer_norm(arguments: Any, task: int, workspace: int) -> None:
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each row."""
    c = record(arguments)
    gamma, beta = floats(c.gamma, c.columns), floats(c.beta, c.columns)
    count = np.float32(c.columns)
    for row in range(task * c.rows_per_task, min(c.rows, (task + 1) * c.rows_per_task)):
        x = floats(c.x + 4 * row * c.columns, c.columns)
        out = floats(c.out + 4 * row * c.columns, c.columns)
        mean = total(x) / count if c.centred != 0 else np.float32(0)
        variance = squares(x, mean) / count
        if c.eps_outside != 0:
            factor = np.float32(1) / (np.sqrt(variance) + np.float32(c.eps))
        else:
            factor = np.float32(1) / np.sqrt(variance + np.float32(c.eps))
        _normalize(x, mean, factor, out)
        if c.gamma != 0:
            _multiply(out, gamma)
        if c.beta != 0:
            add(out, beta)


@summing
def squares(x: Any, mean: Any) -> Any:
    """The sum of the squares of the distances from a number."""
    result = np.float32(0)
    for i in range(len(x)):
        result += (x[i] - mean) * (x[i] - mean)
    return result


@inlined
def _normalize(x: Any, mean: Any, factor: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = (x[i] - mean) * factor


@inlined
def _multiply(x: Any, row: Any) -> None:
    for i in range(len(x)):
        x[i] *= row[i]
