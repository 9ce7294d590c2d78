"""Products with packed matrices, compared with products with the matrices as floats."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels import packed_product
from irrun.kernels.elementwise import clipped
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
        for out in (np.empty((rows, N), np.float32), np.empty((N, rows), np.float32).T):
            matrix.product(a, out)
            np.testing.assert_allclose(out, a @ weights, rtol=1e-5, atol=1e-5 * np.abs(weights).max() * 10)


@merged()
@pytest.mark.parametrize("kind", ["u4", "i4"])
@pytest.mark.parametrize("groups", [1, K // GROUP])
def test_two_numbers_in_a_byte(kind: str, groups: int) -> None:
    random = np.random.default_rng(4)
    values = stored_values(kind, random)
    scale, zero = sides(kind, groups, random)
    low, high = (values[..., first::2].astype(np.uint8) & 15 for first in (0, 1))
    nibbles = Nibbles(low | high << 4, signed=kind == "i4")
    np.testing.assert_array_equal(nibbles.whole(), values)
    assert nibbles.whole().dtype == values.dtype
    matrix, plain = PackedMatrix(nibbles, scale, zero), PackedMatrix(values, scale, zero)
    assert (matrix.shape, matrix.nbytes) == (plain.shape, plain.nbytes - values.size // 2)
    for rows in (1, 5, 200):
        a = random.standard_normal((rows, K)).astype(np.float32)
        out, expected = np.empty((2, rows, N), np.float32)
        matrix.product(a, out)
        plain.product(a, expected)
        np.testing.assert_array_equal(out, expected)


@merged()
@pytest.mark.parametrize("rows", [1, 7, 40, 120, 300])
@pytest.mark.parametrize("by_column", [False, True])
def test_what_follows_the_product(rows: int, by_column: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_product, "_BLOCK", 8 * K)
    random = np.random.default_rng(2)
    stored = stored_values("u8", random)
    scale, zero = sides("u8", 1, random)
    weights = ((stored.astype(np.float64) - zero[:, :, np.newaxis]) * scale[:, :, np.newaxis]).reshape(N, K).T
    a, bias = random.standard_normal((rows, K)).astype(np.float32), random.standard_normal(N).astype(np.float32)
    summand = random.standard_normal((rows, N)).astype(np.float32)
    factor = random.random(N)
    out = np.empty((N, rows), np.float32).T if by_column else np.empty((rows, N), np.float32)
    matrix = PackedMatrix(stored, scale, zero).scaled(factor)
    matrix.product(a, out, bias, summand, clipped(0, np.inf))
    expected = np.maximum(a @ (weights * factor) + bias + summand, 0)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=5e-2)
    assert (out == 0).any()
    assert (out > 0).any()


def test_halves_that_are_not_finite() -> None:
    stored = np.ones((2, 1, 4), np.float16)
    stored[0, 0, 1], stored[1, 0, 2] = np.inf, np.nan
    out = np.empty((1, 2), np.float32)
    PackedMatrix(stored, None, None).product(np.ones((1, 4), np.float32), out)
    np.testing.assert_array_equal(out, [[np.inf, np.nan]])


@merged()
@pytest.mark.parametrize("rows", [3, 250])
@pytest.mark.parametrize("each", ["zero", "scale"])
def test_one_number_for_a_column_beside_one_for_each_group(rows: int, each: str) -> None:
    random = np.random.default_rng(3)
    stored = stored_values("u4", random)
    scale, zero = sides("u4", K // GROUP, random)
    scale, zero = (scale[:, :1], zero) if each == "zero" else (scale, zero[:, :1])
    weights = ((stored - zero[:, :, np.newaxis]) * scale[:, :, np.newaxis]).reshape(N, K).T
    a, out = random.standard_normal((rows, K)).astype(np.float32), np.empty((rows, N), np.float32)
    PackedMatrix(stored, scale, zero).product(a, out)
    np.testing.assert_allclose(out, a @ weights, rtol=1e-4, atol=1e-3)


def test_no_rows() -> None:
    out = np.empty((0, 2), np.float32)
    PackedMatrix(np.ones((2, 1, 4), np.uint8), None, None).product(np.ones((0, 4), np.float32), out)
    assert out.shape == (0, 2)


def test_zero_points_far_from_the_middle() -> None:
    stored = np.array([[[0, 255, 7]], [[1, 2, 3]]], np.uint8)
    a = np.array([[1, 2, 3]], np.float32)
    for zero in (0, 3, 40, 64, 200, 255):
        out = np.empty((1, 2), np.float32)
        PackedMatrix(stored, None, np.full((2, 1), zero, np.float32)).product(a, out)
        np.testing.assert_allclose(out, [[531 - 6 * zero, 14 - 6 * zero]])
