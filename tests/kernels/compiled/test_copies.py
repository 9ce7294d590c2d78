"""Copies between layouts, and products of what changes from run to run."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import pytest

from irrun.ops._declared.matrix.matmul import MatMul
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.roll import Roll
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.view import Call
from tests.kernels.compiled.lowered import placed, results, run
from tests.kernels.merged import merged


@merged()
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 5), (3, 16, 4), (2, 17, 33), (1, 40, 3), (40, 1, 40), (3, 2, 70)])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_copy_into_another_layout(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal(shape, np.float32)
    builder = Builder()
    source, around = placed(builder, x), builder.empty([shape[axis] + 2 for axis in order])
    target = around[1:-1, 1:-1, 1:-1].transpose(np.argsort(order).tolist())
    emit_copy(builder, source, target)
    sevens = np.full(around.shape, 7, np.float32)
    made, whole = results(builder, [source, around], [x, sevens], [target, around])
    np.testing.assert_array_equal(made, x)
    assert (whole == 7).sum() == whole.size - x.size


def test_a_long_row_is_cut() -> None:
    x = np.arange(500_000, dtype=np.float32)
    builder = Builder()
    source, target = placed(builder, x), builder.empty(x.shape)
    emit_copy(builder, source, target)
    (call,) = builder.items
    assert isinstance(call, Call)
    assert call.tasks > 1
    np.testing.assert_array_equal(results(builder, [source], [x], [target])[0], x)


@merged()
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("order", ["C", "F"])
def test_concatenations_of_a_chain(axis: int, order: Literal["C", "F"]) -> None:
    random = np.random.default_rng(0)
    shapes = [[2, 3, 5], [2, 3, 5], [2, 3, 5]]
    for shape, size in zip(shapes, (4, 1, 3), strict=True):
        shape[axis] = size
    parts = [np.array(random.standard_normal(shape, np.float32), order=order) for shape in shapes]
    builder = Builder()
    first, second, third = (placed(builder, part) for part in parts)
    lower = lowering_of(Concat).function
    shorter = lower(Concat(axis=axis), builder, first, second)
    longer = lower(Concat(axis=axis), builder, shorter, third)
    for found, count in zip(results(builder, [first, second, third], parts, [shorter, longer]), (2, 3), strict=True):
        np.testing.assert_array_equal(found, np.concatenate(parts[:count], axis))


@pytest.mark.parametrize("shift", [(0, 0), (2, -1), (-3, 7)])
def test_roll(shift: tuple[int, int]) -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 4, 3), np.float32)
    result = run(Roll(), x, np.array(shift), np.array([1, 2]), constants=2)
    assert result is not None
    np.testing.assert_array_equal(result, np.roll(x, shift, (1, 2)))


def test_a_scalar_is_not_rolled() -> None:
    with pytest.raises(Unsupported, match="a scalar"):
        run(Roll(), np.array(3, np.float32), np.array([1]), np.array([0]), constants=2)


@merged()
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


@pytest.mark.parametrize("keys", [(slice(None, None, -1),), (slice(None, None, 2), slice(None, None, -1))])
def test_a_product_of_stacks_in_another_order(keys: tuple[slice, ...]) -> None:
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((6, 3, *sizes), np.float32)[keys] for sizes in ((7, 20), (20, 17)))
    result = run(MatMul(), x, y, constants=2)
    assert result is not None
    np.testing.assert_allclose(result, x.astype(np.float64) @ y, rtol=1e-4, atol=1e-5)
