"""Reductions of every type along any axes, running sums and softmax, against the operations' own `run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from irrun.kernels.casting import cast
from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.activation.softmax import SoftMaxV8
from irrun.ops._declared.arithmetic.cum_sum import CumSum
from irrun.ops._declared.reduction.base import Reduction
from irrun.ops._declared.reduction.reduce_l1 import ReduceL1
from irrun.ops._declared.reduction.reduce_l2 import ReduceL2
from irrun.ops._declared.reduction.reduce_logical_and import ReduceLogicalAnd
from irrun.ops._declared.reduction.reduce_logical_or import ReduceLogicalOr
from irrun.ops._declared.reduction.reduce_max import ReduceMax
from irrun.ops._declared.reduction.reduce_mean import ReduceMean
from irrun.ops._declared.reduction.reduce_min import ReduceMin
from irrun.ops._declared.reduction.reduce_prod import ReduceProd
from irrun.ops._declared.reduction.reduce_sum import ReduceSum
from irrun.runtime.lower import lowering_of
from irrun.tensor import Array
from tests.kernels.compiled.lowered import opened, run
from tests.kernels.compiled.test_elements import FLOATS, INTEGERS, values
from tests.kernels.merged import merged

NUMERIC = (ReduceSum, ReduceMean, ReduceProd, ReduceMax, ReduceMin, ReduceL1, ReduceL2)
LOGICAL = (ReduceLogicalAnd, ReduceLogicalOr)
SHAPES = ((3, 5, 7), (2, 3, 600), (40, 1, 33), (700, 2, 2), (2, 5, 1030), (1, 3000, 3))
AXES = ([0], [1], [2], [-1], [0, 1], [1, 2], [0, 2], [0, -2, 2])


def agree(got: Array | None, wanted: Any, dtype: Any) -> None:
    assert got is not None
    expected = cast(np.asarray(wanted), np.dtype(dtype))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "f":
        tolerance = 1e-4 if expected.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


def reduced(op: Reduction, data: Array, axes: Sequence[int]) -> None:
    with np.errstate(all="ignore"):
        wanted = op.run(data, np.array(axes))
    agree(run(op, data, np.array(axes), constants=1), wanted, data.dtype)


@merged("kind", every=4)
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("kind", NUMERIC)
def test_floats_along_any_axes(kind: type[Reduction], axes: list[int]) -> None:
    random = np.random.default_rng(1)
    for number, shape in enumerate(SHAPES):
        for dtype in FLOATS:
            data = random.uniform(0.5, 1.5, shape) if kind is ReduceProd else random.standard_normal(shape)
            if kind is ReduceProd:
                data = data ** (8 / data.size)
            reduced(kind(keep_dims=bool(number % 2)), data.astype(dtype), axes)


@merged("kind")
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("kind", [ReduceSum, ReduceMax, ReduceMean])
def test_layouts(kind: type[Reduction], axes: list[int]) -> None:
    whole = np.random.default_rng(2).standard_normal((4, 70, 40)).astype(np.float32)
    for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
        reduced(kind(), whole.transpose(order), axes)


@merged("kind", every=3)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("kind", NUMERIC)
def test_integers(kind: type[Reduction], dtype: str) -> None:
    if dtype == "uint64" and kind in (ReduceMean, ReduceL2):
        return
    for axes in ([1], [0, 2], [0, 1, 2]):
        data = values(dtype, 4 * 9 * 70).reshape(4, 9, 70)
        if kind is ReduceL2:
            data = (data % 50).astype(dtype)
        reduced(kind(keep_dims=True), data, axes)


@pytest.mark.parametrize("kind", LOGICAL)
def test_booleans(kind: type[Reduction]) -> None:
    data = np.random.default_rng(3).random((5, 40, 30)) < (0.99 if kind is ReduceLogicalAnd else 0.01)
    for axes in AXES:
        reduced(kind(), data, axes)


@merged()
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_infinity_and_zeros_without_elements(dtype: str) -> None:
    data = np.array([[1, np.nan, 3], [-np.inf, 2, np.inf], [-np.inf] * 3], dtype).repeat(50, axis=1)
    for kind in (ReduceMax, ReduceMin, ReduceSum):
        for axes in ([0], [1]):
            reduced(kind(), data, axes)
    for kind in NUMERIC:
        reduced(kind(), np.zeros((3, 0, 2), dtype), [1])


def test_no_axes_scalars_and_large_tensors() -> None:
    data = np.random.default_rng(4).standard_normal((3, 4)).astype(np.float32)
    for kind in NUMERIC:
        reduced(kind(), data, [])
        reduced(kind(), data[0, 0], [0])
    large = np.random.default_rng(5).standard_normal((2, 299_999)).astype(np.float32)
    for kind in (ReduceSum, ReduceMax, ReduceMean):
        for axes in ([1], [0, 1], [0]):
            reduced(kind(), large, axes)
        reduced(kind(), np.abs(large.reshape(-1)[: 30 * 19_997]).reshape(1, 19_997, 30), [1])


@merged("kind")
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("kind", [ReduceSum, ReduceMean, ReduceMax])
def test_sizes_of_a_run(kind: type[Reduction], axes: list[int]) -> None:
    op, function = kind(keep_dims=True), lowering_of(kind).function
    random = np.random.default_rng(6)
    hint = random.standard_normal((3, 9, 20)).astype(np.float32)
    compute = opened(lambda builder, x: function(op, builder, x, np.array(axes)), [hint], {0, 1, 2})
    for shape in ((3, 9, 20), (4, 30, 700), (2, 5, 3), (7, 1200, 2)):
        whole = random.standard_normal((*shape[:2], 2 * shape[2])).astype(np.float32)
        for data in (random.standard_normal(shape).astype(np.float32), whole[..., ::2]):
            found = compute([data])
            if found is not None:
                agree(found, op.run(data, np.array(axes)), data.dtype)
    assert compute([hint + 1]) is not None


@merged(every=3)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_running_sums(dtype: str) -> None:
    op = CumSum()
    for shape in ((3, 5, 40), (2, 1, 3), (1, 700, 300), (4, 2, 300), (4, 6, 1)):
        data = values(dtype, int(np.prod(shape))).reshape(shape)
        data = np.random.default_rng(7).standard_normal(shape).astype(dtype) if dtype in FLOATS else data
        for axis in (0, 1, -1):
            for given in (data, np.asfortranarray(data)):
                agree(run(op, given, np.array(axis), constants=1), op.run(given, np.array(axis)), dtype)


@merged()
@pytest.mark.parametrize("axis", range(5))
def test_running_sums_of_a_part_of_an_array(axis: int) -> None:
    data = np.random.default_rng(7).standard_normal((5, 4, 6, 5, 4)).astype(np.float32)[(slice(None, None, 2),) * 5]
    agree(run(CumSum(), data, np.array(axis), constants=2), CumSum().run(data, np.array(axis)), data.dtype)


def test_running_sums_of_sizes_of_a_run() -> None:
    function, op = lowering_of(CumSum).function, CumSum()
    compute = opened(lambda builder, x: function(op, builder, x, np.array(1)), [np.arange(24).reshape(2, 12)], {0, 1})
    for shape in ((2, 12), (5, 30), (3, 2)):
        data = np.random.default_rng(8).integers(0, 99, shape)
        found = compute([data])
        assert found is not None
        np.testing.assert_array_equal(found, op.run(data, np.array(1)))


@pytest.mark.parametrize("kind", [LogSoftmax, SoftMaxV8])
def test_softmax(kind: Any) -> None:
    data = (4 * np.random.default_rng(9).standard_normal((3, 40, 70))).astype(np.float32)
    for axis in (0, 1, -1):
        op = kind(axis=axis)
        for given in (data, np.asfortranarray(data)):
            agree(run(op, given), op.run(given), np.float32)
