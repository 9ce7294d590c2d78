"""Copies between layouts, and products of what changes from run to run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from irrun.ops.matrix.matmul import MatMul
from irrun.ops.movement.roll import Roll
from irrun.runtime.lowering.builder import Builder, Call
from irrun.runtime.lowering.copies import copied
from tests.kernels.compiled.lowered import placed, results, run


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 5), (3, 16, 4), (2, 17, 33), (1, 40, 3), (40, 1, 40), (3, 2, 70)])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_copy_into_another_layout(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal(shape, np.float32)
    builder = Builder()
    source, around = placed(builder, x), builder.empty([shape[axis] + 2 for axis in order])
    target = around[1:-1, 1:-1, 1:-1].transpose(np.argsort(order).tolist())
    assert copied(builder, source, target)
    sevens = np.full(around.shape, 7, np.float32)
    made, whole = results(builder, [source, around], [x, sevens], [target, around])
    np.testing.assert_array_equal(made, x)
    assert (whole == 7).sum() == whole.size - x.size


def test_a_long_row_is_cut() -> None:
    x = np.arange(500_000, dtype=np.float32)
    builder = Builder()
    source, target = placed(builder, x), builder.empty(x.shape)
    assert copied(builder, source, target)
    (call,) = builder.items
    assert isinstance(call, Call)
    assert call.tasks > 1
    np.testing.assert_array_equal(results(builder, [source], [x], [target])[0], x)


@pytest.mark.parametrize("shift", [(0, 0), (2, -1), (-3, 7)])
def test_roll(shift: tuple[int, int]) -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 4, 3), np.float32)
    result = run(Roll(), x, np.array(shift), np.array([1, 2]), constants=2)
    assert result is not None
    np.testing.assert_array_equal(result, np.roll(x, shift, (1, 2)))


def test_a_scalar_is_not_rolled() -> None:
    assert run(Roll(), np.array(3, np.float32), np.array([1]), np.array([0]), constants=2) is None


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 5), (5, 7)),
        ((2, 1, 49, 32), (3, 32, 49)),
        ((1, 1), (1, 1)),
        ((4, 1, 40), (4, 40, 130)),
        ((5, 70, 3), (3, 9)),
    ],
)
def test_a_product_of_stacks(a: tuple[int, ...], b: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> None:
    random = np.random.default_rng(0)
    x, y = random.standard_normal(a, np.float32), random.standard_normal(b, np.float32)
    op = MatMul()
    op.transpose_a, op.transpose_b = transpose_a, transpose_b
    left, right = x.swapaxes(-1, -2) if transpose_a else x, y.swapaxes(-1, -2) if transpose_b else y
    for first, second in ((left, right), (np.ascontiguousarray(left), np.ascontiguousarray(right))):
        result = run(op, first, second)
        assert result is not None
        np.testing.assert_allclose(result, x.astype(np.float64) @ y, rtol=1e-4, atol=1e-5)
