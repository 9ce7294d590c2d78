"""Kernels around functions that others call, so that tests can call them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.host import LANES
from irrun_kernels.micro import multiply_taps
from irrun_kernels.native import Address, Read, Write, kernel, load_atomically, longs, record
from irrun_kernels.scalars import unary


class Unary(NamedTuple):
    function: int
    x: int
    count: int
    alpha: float
    beta: float


@kernel(Unary)
def apply_unary(arguments: Any, task: int, workspace: int) -> None:  # noqa: ARG001
    c = record(arguments)
    unary(c.function, c.count, c.x, np.float32(c.alpha), np.float32(c.beta))


class Tile(NamedTuple):
    rows: int
    vectors: int
    taps: int
    depth: int
    left: int
    panel: int
    bias: int
    out: int
    summand: int
    columns: int
    low: float
    high: float


@kernel(Tile)
def multiply_tile(arguments: Any, task: int, workspace: int) -> None:  # noqa: ARG001
    c = record(arguments)
    step = 4 * c.vectors * LANES
    extent, left, ahead, results = (c.taps, c.depth), (c.left, 8 * c.rows), (c.panel, 0), (c.out, 0, c.summand)
    bounds = np.float32(c.low), np.float32(c.high)
    variant = c.rows, c.vectors, 0
    multiply_taps(variant, extent, left, (c.panel, step), ahead, c.bias, results, c.columns, bounds[0], bounds[1])


class Late(NamedTuple):
    out: Write[Address]
    value: int
    polls: int


@kernel(Late)
def write_late(arguments: Any, task: int, workspace: int) -> None:  # noqa: ARG001
    """Write a number for each task, the last one after a while."""
    c = record(arguments)
    for _ in range(task * c.polls):
        load_atomically(c.out)
    longs(c.out, 2)[task] = c.value


class Exchange(NamedTuple):
    x: Read[Address]
    out: Write[Address]


@kernel(Exchange)
def exchange(arguments: Any, task: int, workspace: int) -> None:  # noqa: ARG001
    """Copy what the other task of the call before has written."""
    c = record(arguments)
    longs(c.out, 2)[task] = longs(c.x, 2)[1 - task]
