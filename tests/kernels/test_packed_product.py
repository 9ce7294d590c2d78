"""Products with packed matrices, compared with products with the matrices as floats."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels import packed_product
from irrun.kernels.lookup import Nibbles
from irrun.kernels.packed_product import PackedMatrix
from irrun.tensor import Array
from tests.kernels.merged import merged

K, N, GROUP = 96, 70, 16


def stored_values(kind: str, random: np.random.Generator) -> Array:
    """Return [N, K / GROUP, GROUP] values, including the smallest and the largest number of the kind."""
    if kind == "f16":
        values: Array = random.standard_normal((N, K // GROUP, GROUP)).astype(np.float16)
        values[0, 0, :4] = [6.1e-5, -5.96e-8, 65504, -0.0]
        return values
    low, high, dtype = {"u8": (0, 255, "u1"), "i8": (-128, 127, "i1"), "u4": (0, 15, "u1"), "i4": (-8, 7, "i1")}[kind]
    values = random.integers(low, high + 1, (N, K // GROUP, GROUP)).astype(dtype)
    values[0, 0, :2] = [low, high]
    return values


def sides(kind: str, groups: int, random: np.random.Generator) -> tuple[Array, Array]:
    centre = {"u8": 127, "u4": 8}.get(kind, 0)
    scale = (0.5 + random.random((N, groups))).astype(np.float32)
    return scale, (centre + random.integers(-3, 4, (N, groups))).astype(np.float32)


@merged()
@pytest.mark.parametrize("kind", ["u8", "i8", "u4", "i4", "f16"])
@pytest.mark.parametrize("groups", [1, K // GROUP])
@pytest.mark.parametrize("with_zero", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
def test_products(kind: str, groups: int, with_zero: bool, transposed: bool) -> None:
    random = np.random.default_rng(1)
    stored = stored_values(kind, random)
    scale, zero = sides(kind, groups, random)
    whole = stored.astype(np.float64) - (zero[:, :, np.newaxis] if with_zero else 0)
    weights = (whole * scale[:, :, np.newaxis]).reshape(N, K).T
    laid = np.ascontiguousarray(stored.transpose(1, 2, 0)).transpose(2, 0, 1) if transposed else stored
    matrix = PackedMatrix(laid, scale, zero if with_zero else None)
    assert matrix.shape == (K, N)
    assert np.shares_memory(matrix.stored, laid)
    for rows in (1, 5, 40, 200):
        a = random.standard_normal((rows, K)).astype(np.float32)
        np.testing.assert_allclose(matrix.product(a), a @ weights, rtol=1e-5, atol=1e-5 * np.abs(weights).max() * 10)


@merged()
@pytest.mark.parametrize("kind", ["u4", "i4"])
@pytest.mark.parametrize("groups", [1, K // GROUP])
def test_two_numbers_in_a_byte(kind: str, groups: int) -> None:
    random = np.random.default_rng(4)
    values = stored_values(kind, random)
    scale, zero = sides(kind, groups, random)
    low, high = (values[..., first::2].astype(np.uint8) & 15 for first in (0, 1))
    nibbles = Nibbles(low | high << 4, signed=kind == "i4")
    np.testing.assert_array_equal(nibbles[:], values)
    assert nibbles[:].dtype == values.dtype
    matrix, plain = PackedMatrix(nibbles, scale, zero), PackedMatrix(values, scale, zero)
    assert (matrix.shape, matrix.nbytes) == (plain.shape, plain.nbytes - values.size // 2)
    for rows in (1, 5, 200):
        a = random.standard_normal((rows, K)).astype(np.float32)
        np.testing.assert_array_equal(matrix.product(a), plain.product(a))


@merged()
@pytest.mark.parametrize("rows", [1, 7, 40, 120, 300])
def test_columns_with_a_factor_each(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_product, "_BLOCK", 8 * K)
    random = np.random.default_rng(2)
    stored = stored_values("u8", random)
    scale, zero = sides("u8", 1, random)
    weights = ((stored.astype(np.float64) - zero[:, :, np.newaxis]) * scale[:, :, np.newaxis]).reshape(N, K).T
    a, factor = random.standard_normal((rows, K)).astype(np.float32), random.random(N)
    product = PackedMatrix(stored, scale, zero).scaled(factor).product(a)
    np.testing.assert_allclose(product, a @ (weights * factor), rtol=1e-4, atol=5e-2)


def test_halves_that_are_not_finite() -> None:
    stored = np.ones((2, 1, 4), np.float16)
    stored[0, 0, 1], stored[1, 0, 2] = np.inf, np.nan
    product = PackedMatrix(stored, None, None).product(np.ones((1, 4), np.float32))
    np.testing.assert_array_equal(product, [[np.inf, np.nan]])


@merged()
@pytest.mark.parametrize("rows", [3, 250])
@pytest.mark.parametrize("each", ["zero", "scale"])
def test_one_number_for_a_column_beside_one_for_each_group(rows: int, each: str) -> None:
    random = np.random.default_rng(3)
    stored = stored_values("u4", random)
    scale, zero = sides("u4", K // GROUP, random)
    scale, zero = (scale[:, :1], zero) if each == "zero" else (scale, zero[:, :1])
    weights = ((stored - zero[:, :, np.newaxis]) * scale[:, :, np.newaxis]).reshape(N, K).T
    a = random.standard_normal((rows, K)).astype(np.float32)
    np.testing.assert_allclose(PackedMatrix(stored, scale, zero).product(a), a @ weights, rtol=1e-4, atol=1e-3)


def test_no_rows() -> None:
    product = PackedMatrix(np.ones((2, 1, 4), np.uint8), None, None).product(np.ones((0, 4), np.float32))
    assert product.shape == (0, 2)


def test_zero_points_far_from_the_middle() -> None:
    stored = np.array([[[0, 255, 7]], [[1, 2, 3]]], np.uint8)
    a = np.array([[1, 2, 3]], np.float32)
    for zero in (0, 3, 40, 64, 200, 255):
        product = PackedMatrix(stored, None, np.full((2, 1), zero, np.float32)).product(a)
        np.testing.assert_allclose(product, [[531 - 6 * zero, 14 - 6 * zero]])
