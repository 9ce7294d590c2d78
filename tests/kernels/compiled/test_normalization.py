"""Normalizations and softmax along any axes, in several layouts, against those of NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops.activation.log_softmax import LogSoftmax
from irrun.ops.activation.softmax import SoftMaxV8
from irrun.ops.normalization.batch_norm_inference import BatchNormInferenceV1, BatchNormInferenceV5
from irrun.ops.normalization.group_normalization import GroupNormalization
from irrun.ops.normalization.mvn import MVNV2, MVNV6
from irrun.ops.normalization.normalize_l2 import NormalizeL2
from irrun.tensor import Array
from tests.kernels.compiled.lowered import run

SHAPES = ((2, 12, 5, 7), (1, 40, 33, 9), (3, 4, 1, 1))
AXES = [axes for count in (1, 2, 3, 4) for axes in itertools.combinations(range(4), count)]


def normal(*shape: int) -> Array:
    """Numbers far from zero, whose variances cancellation would spoil."""
    return np.random.default_rng(0).standard_normal(shape, np.float32) + np.float32(30)


def layouts(x: Array) -> list[Array]:
    """Arrays of equal elements in some orders of memory."""
    orders = (range(x.ndim), (0, *range(2, x.ndim), 1), (1, *range(2, x.ndim), 0))
    return [np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order)) for order in orders]


def check(op: Op, x: Array, *others: Array, constants: int = 0) -> None:
    wanted = op.run(x.astype(np.float64), *(y.astype(np.float64) if y.dtype.kind == "f" else y for y in others))
    for data in layouts(x):
        found = run(op, data, *others, constants=constants)
        assert found is not None
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=3e-5)


@pytest.mark.parametrize("shape", [*SHAPES, (2, 20, 50), (2, 8, 3, 4, 5)])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("constants", [0, 2])
def test_groups_of_channels(shape: tuple[int, ...], groups: int, constants: int) -> None:
    scale, bias = normal(shape[1]) - 30, normal(shape[1])
    check(GroupNormalization(num_groups=groups, epsilon=1e-3), normal(*shape), scale, bias, constants=constants)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axes", AXES)
def test_means_and_variances_along_axes(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    modes: Any = (("inside_sqrt", True), ("outside_sqrt", True), ("inside_sqrt", False))
    for mode, normalizes in modes:
        op = MVNV6(eps=1e-2, eps_mode=mode, normalize_variance=normalizes)
        check(op, normal(*shape), np.array(axes), constants=1)


@pytest.mark.parametrize("across", [False, True])
def test_means_and_variances_of_channels(across: bool) -> None:
    check(MVNV2(across_channels=across, normalize_variance=True, eps=1e-4, reduction_axes=None), normal(2, 12, 5, 7))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("mode", ["add", "max"])
@pytest.mark.parametrize("eps", [1e-6, 1e5])
def test_norms(axes: tuple[int, ...], mode: Any, eps: float) -> None:
    check(NormalizeL2(eps=eps, eps_mode=mode), normal(2, 12, 5, 7), np.array(axes), constants=1)


def test_given_means_and_variances() -> None:
    rows = [normal(12), normal(12), normal(12), np.abs(normal(12))]
    check(BatchNormInferenceV5(epsilon=1e-3), normal(2, 12, 5, 7), *rows, constants=4)
    x = normal(2, 12, 5, 7)
    found = run(BatchNormInferenceV1(epsilon=1e-3), rows[0], rows[1], x, rows[2], rows[3])
    assert found is not None
    np.testing.assert_allclose(found, BatchNormInferenceV1(epsilon=1e-3).run(rows[0], rows[1], x, *rows[2:]), rtol=1e-5)


@pytest.mark.parametrize("axis", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_and_its_logarithm(axis: int, shape: tuple[int, ...]) -> None:
    for op in (SoftMaxV8(axis=axis), LogSoftmax(axis=axis)):
        check(op, normal(*shape))
