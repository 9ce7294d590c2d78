"""Normalizations and softmax along any axes, in several layouts, against those of NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.activation.softmax import SoftMaxV8
from irrun.ops._declared.fused.fused_functions import FusedLayerNorm
from irrun.ops._declared.normalization.group_normalization import GroupNormalization
from irrun.ops._declared.normalization.lrn import LRN
from irrun.ops._declared.normalization.mvn import MVNV2, MVNV6
from irrun.ops._declared.normalization.normalize_l2 import NormalizeL2
from irrun.runtime.lowering.builder import Unsupported
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged

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


@merged()
@pytest.mark.parametrize("shape", [*SHAPES, (2, 20, 50), (2, 8, 3, 4, 5)])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("constants", [0, 2])
def test_groups_of_channels(shape: tuple[int, ...], groups: int, constants: int) -> None:
    scale, bias = normal(shape[1]) - 30, normal(shape[1])
    check(GroupNormalization(num_groups=groups, epsilon=1e-3), normal(*shape), scale, bias, constants=constants)


@merged()
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axes", AXES)
def test_means_and_variances_along_axes(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    modes: Any = (("inside_sqrt", True), ("outside_sqrt", True), ("inside_sqrt", False))
    for mode, normalizes in modes:
        op = MVNV6(eps=1e-2, eps_mode=mode, normalize_variance=normalizes)
        check(op, normal(*shape), np.array(axes), constants=1)


@merged()
@pytest.mark.parametrize("across", [False, True])
def test_means_and_variances_of_channels(across: bool) -> None:
    check(MVNV2(across_channels=across, normalize_variance=True, eps=1e-4, reduction_axes=None), normal(2, 12, 5, 7))


@merged()
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("mode", ["add", "max"])
@pytest.mark.parametrize("eps", [1e-6, 1e5])
def test_norms(axes: tuple[int, ...], mode: Any, eps: float) -> None:
    check(NormalizeL2(eps=eps, eps_mode=mode), normal(2, 12, 5, 7), np.array(axes), constants=1)


@merged()
@pytest.mark.parametrize("size", [1, 3, 5, 9])
@pytest.mark.parametrize("channels", [1, 4, 20])
def test_neighbours_along_the_channels(size: int, channels: int) -> None:
    op = LRN(alpha=0.5, beta=0.75, bias=1.5, size=size)
    x, axes = normal(2, channels, 3, 5) - 30, np.array([1])
    for data in layouts(x)[:2]:
        found = run(op, data, axes, constants=1)
        assert found is not None
        np.testing.assert_allclose(found, op.run(x, axes), rtol=1e-5)
    with pytest.raises(Unsupported, match=r"exponent 0\.5, not 0\.75"):
        run(LRN(alpha=0.5, beta=0.5, bias=1.5, size=size), x, axes, constants=1)


@merged()
@pytest.mark.parametrize("axis", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_and_its_logarithm(axis: int, shape: tuple[int, ...]) -> None:
    for op in (SoftMaxV8(axis=axis), LogSoftmax(axis=axis)):
        for shift in (0, -300):
            check(op, normal(*shape) + np.float32(shift))


@merged()
@pytest.mark.parametrize("columns", [1, 7, 64, 100])
@pytest.mark.parametrize("rows", [None, 1, "columns"])
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("centred", [False, True])
def test_rows_by_their_mean_and_variance(columns: int, rows: Any, outside: bool, centred: bool) -> None:
    x, eps = normal(3, 5, columns), 0.3
    gamma, beta = (None if rows is None else normal(columns if rows == "columns" else rows) for _ in range(2))
    wide = x.astype(np.float64)
    distance = wide - wide.mean(-1, keepdims=True) * centred
    square = (distance**2).mean(-1, keepdims=True)
    wanted = distance / (np.sqrt(square) + eps if outside else np.sqrt(square + eps))
    wanted = (wanted if gamma is None else wanted * gamma) + (0 if beta is None else beta)
    op = FusedLayerNorm(
        fact=Fact(F32, Shape(x.shape)), gamma=gamma, beta=beta, eps=eps, eps_outside=outside, centred=centred
    )
    for data in layouts(x):
        found = run(op, data)
        assert found is not None
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)


@merged()
@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
def test_nothing_is_normalized(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    layer_norm = FusedLayerNorm(
        fact=Fact(F32, Shape(shape)), gamma=None, beta=None, eps=0.1, eps_outside=False, centred=True
    )
    mvn = MVNV6(eps=1e-2, eps_mode="inside_sqrt", normalize_variance=True)
    for op, *axes in ((SoftMaxV8(axis=-1),), (layer_norm,), (mvn, np.array([2]))):
        with pytest.raises(Unsupported, match="a tensor without elements"):
            run(op, x, *axes, constants=len(axes))
