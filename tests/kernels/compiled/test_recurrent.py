"""Recurrent sequences of every cell against steps in float64, whole and of lengths of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from irrun.kernels.recurrent import Cell, DirectionWeights, Gru, Lstm, Rnn, run_sequence
from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.recurrent import lower_recurrence
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from tests.kernels.compiled.lowered import opened, placed, results
from tests.kernels.merged import merged

CELLS: dict[str, tuple[Cell, int, int]] = {
    "rnn": (Rnn(("tanh",)), 1, 1),
    "rnn with relu": (Rnn(("relu",)), 1, 1),
    "gru": (Gru(("sigmoid", "tanh")), 3, 3),
    "gru, linear before reset": (Gru(("sigmoid", "tanh"), linear_before_reset=True), 3, 4),
    "lstm": (Lstm(("sigmoid", "tanh", "tanh")), 4, 4),
}
DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
SIZES = ((1, 5, 3, 8), (3, 4, 10, 33), (7, 3, 16, 20))


def drawn(name: str, reverse: Sequence[bool], sizes: Sequence[int]) -> tuple[FusedRecurrence, list[Array]]:
    """An operation, and its data and states."""
    (cell, gates, biases), (batch, steps, inputs, size) = CELLS[name], sizes
    draw = np.random.default_rng(0)

    def normal(*shape: int) -> Array:
        return draw.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[-1]))

    weights = [
        DirectionWeights(normal(gates * size, inputs), normal(gates * size, size), normal(biases * size))
        for _ in reverse
    ]
    states = [normal(batch, len(reverse), size) for _ in range(2 if name == "lstm" else 1)]
    facts = [Fact(F32, Shape((batch, len(reverse), steps, size))), *(Fact(F32, Shape(state.shape)) for state in states)]
    return FusedRecurrence(facts=facts, cell=cell, weights=weights, reverse=reverse), [
        normal(batch, steps, inputs),
        *states,
    ]


def exact(op: FusedRecurrence, inputs: Sequence[Array], lengths: Array) -> tuple[Array, ...]:
    x, *states = (array.astype(np.float64) for array in inputs)
    parts: Any = (
        [None if part is None else part.astype(np.float64) for part in (own.w, own.r, own.b)] for own in op.weights
    )
    weights = [DirectionWeights(*own) for own in parts]
    return run_sequence(op.cell, x, tuple(states), lengths, weights, op.reverse)


def compiled(op: FusedRecurrence, inputs: Sequence[Array], lengths: Array, *, is_constant: bool) -> list[Array]:
    builder = Builder()
    views = [placed(builder, array) for array in inputs]
    at = placed(builder, lengths)
    outs = lower_recurrence(op, builder, *views, lengths if is_constant else at)
    assert outs is not None
    return results(builder, [*views, at], [*inputs, lengths], outs)


@merged()
@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("sizes", SIZES)
def test_whole_sequences(name: str, direction: str, sizes: tuple[int, ...]) -> None:
    op, inputs = drawn(name, DIRECTIONS[direction], sizes)
    lengths = np.full(sizes[0], sizes[1])
    for is_constant in (True, False):
        found = compiled(op, inputs, lengths, is_constant=is_constant)
        for got, wanted in zip(found, exact(op, inputs, lengths), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=3e-6)


@merged()
@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_sequences_of_other_lengths(name: str, direction: str, kind: str) -> None:
    op, inputs = drawn(name, DIRECTIONS[direction], (7, 5, 9, 20))
    lengths = np.array([5, 0, 3, 1, 9, -2, 4], kind)
    for is_constant in (True, False):
        found = compiled(op, inputs, lengths, is_constant=is_constant)
        for got, wanted in zip(found, exact(op, inputs, lengths), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=3e-6)


def test_states_that_are_one_number() -> None:
    op, (x, *states) = drawn("lstm", (False, True), (3, 4, 10, 33))
    zeros = [np.broadcast_to(np.float32(0), state.shape) for state in states]
    builder, lengths = Builder(), np.full(3, 4)
    data = placed(builder, x)
    outs = lower_recurrence(op, builder, data, *zeros, lengths)
    assert outs is not None
    for got, wanted in zip(results(builder, [data], [x], outs), exact(op, [x, *zeros], lengths), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=3e-6)


@merged()
@pytest.mark.parametrize("name", CELLS)
def test_operands_in_bf16(name: str) -> None:
    op, inputs = drawn(name, (False, True), (3, 4, 10, 33))
    rounded = op.in_precision(BF16)
    lengths = np.full(3, 4)
    found = compiled(rounded, inputs, lengths, is_constant=True)
    for got, wanted in zip(found, rounded.run(*inputs, lengths), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-2)


def test_rows_of_bf16_do_not_reach_into_the_next_one() -> None:
    op, (x, *states) = drawn("lstm", (False,), (2, 4, 9, 8))
    x[0, 2, 0] = np.nan
    found = compiled(op.in_precision(BF16), [x, *states], np.full(2, 4), is_constant=True)
    assert np.isnan(found[0]).all(-1)[:, 0].tolist() == [[False, False, True, True], [False] * 4]
    assert np.isfinite(found[0][0, 0, :2]).all()


@merged()
@pytest.mark.parametrize("name", ["gru", "lstm"])
def test_sizes_of_a_run(name: str) -> None:
    op, inputs = drawn(name, (False, True), (3, 4, 10, 33))

    def lower(builder: Builder, *views: Any) -> Any:
        steps = np.array([views[0].shape[1]] * 3, object)
        outs = lower_recurrence(op, builder, *views, steps)
        assert outs is not None
        return outs[0]

    compute = opened(lower, inputs, (1,))
    x, *states = inputs
    for steps in (4, 2, 3):
        given = [np.ascontiguousarray(x[:, :steps]), *states]
        found = compute(given)
        assert found is not None
        np.testing.assert_allclose(found, exact(op, given, np.full(3, steps))[0], rtol=0, atol=3e-6)
