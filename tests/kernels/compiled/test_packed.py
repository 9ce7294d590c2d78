"""Products with weights of few bits, which are packed into words."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.casting import rounded
from irrun.kernels.elementwise import Elementwise
from irrun.kernels.lookup import Lookup
from irrun.kernels.packed_product import FEW_ROWS, PackedMatrix
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.optimize.packed import TABLES
from irrun.runtime.lowering.builder import Unsupported
from irrun.runtime.lowering.dynamic import coding_of
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from irrun.tensor.rounding import decode
from irrun_kernels import micro
from irrun_kernels.packed import DEPTH, NUMBERS
from irrun_kernels.tiling import words_of
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged


def test_words_hold_the_first_code_in_the_lowest_bits() -> None:
    codes = np.array([[1, -1], [2, -2], [3, 0], [-8, 7], [0, 0], [0, 0], [0, 0], [-1, 0]], np.int8)
    assert [f"{word:08x}" for word in words_of(codes, 4)[0]] == ["f0008321", "000070ef"]
    assert [f"{word:08x}" for word in words_of(codes, 8)[:, 0]] == ["f8030201", "ff000000"]


@merged()
@pytest.mark.parametrize("rows", [1, FEW_ROWS - 1, FEW_ROWS, FEW_ROWS + 1, 33])
@pytest.mark.parametrize("columns", [1, 17, 200])
@pytest.mark.parametrize(
    ("bits", "groups", "size"), [(4, 3, 32), (4, 1, 8), (8, 3, 32), (8, 1, 260), (8, 1, DEPTH), (4, 3, DEPTH // 2 + 8)]
)
@pytest.mark.parametrize("signed", [False, True])
def test_a_product_with_codes(rows: int, columns: int, bits: int, groups: int, size: int, signed: bool) -> None:
    random = np.random.default_rng(0)
    low = -(1 << (bits - 1)) if signed else 0
    codes = random.integers(low, low + (1 << bits), (columns, groups, size)).astype(np.int8 if signed else np.uint8)
    codes[:, 0, :2] = low, low + (1 << bits) - 1
    zero = None if signed else random.integers(0, 1 << bits, (columns, groups)).astype(np.float32)
    scale = random.random((columns, groups), np.float32)
    bias, summand = (random.standard_normal(n, np.float32) for n in (columns, (rows, columns)))
    x = random.standard_normal((rows, groups * size), np.float32)
    fact = Fact(F32, Shape.parse(f"{rows},{columns}"))
    clamp = Elementwise("clamp", (-2.0, 5.0), lambda *_: None)  # type: ignore[arg-type,return-value]
    op = FusedPackedMatMul(fact=fact, weights=PackedMatrix(codes, scale, zero), bias=bias, activation=clamp)
    zeros = np.float64(0) if zero is None else zero.astype(np.float64)[..., np.newaxis]
    weights = ((codes - zeros) * scale.astype(np.float64)[..., np.newaxis]).reshape(columns, -1)
    expected = np.clip(x @ weights.T + bias + summand, -2, 5)
    result = run(op, x, summand)
    assert result is not None
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4 * size)


@merged()
@pytest.mark.parametrize("rows", [1, 2, 33])
@pytest.mark.parametrize("columns", [1, 17, 200])
@pytest.mark.parametrize(
    ("kind", "groups", "size"), [("nf4", 3, 32), ("f4e2m1", 1, 8), ("f8e4m3", 1, 256), ("f8e5m2", 2, 128)]
)
@pytest.mark.parametrize("with_zero", [False, True])
def test_a_product_with_codes_of_a_table(
    rows: int, columns: int, kind: str, groups: int, size: int, with_zero: bool
) -> None:
    random = np.random.default_rng(0)
    bits = 4 if kind in ("nf4", "f4e2m1") else 8
    table = decode(np.arange(1 << bits, dtype=np.uint8), kind)
    finite = np.flatnonzero(np.isfinite(table)).astype(np.uint8)
    codes = np.resize(random.permutation(finite), (columns, groups, size))
    scale = random.random((columns, groups), np.float32) / np.abs(table[finite]).max()
    zero = random.standard_normal((columns, groups), np.float32) if with_zero else None
    x = random.standard_normal((rows, groups * size), np.float32)
    op = FusedPackedMatMul(
        fact=Fact(F32, Shape((rows, columns))),
        weights=PackedMatrix(Lookup(codes, table, kind), scale, zero),
        bias=None,
        activation=None,
    )
    numbers = table[codes].astype(np.float64) - (0 if zero is None else zero[..., np.newaxis])
    weights = (numbers * scale[..., np.newaxis]).reshape(columns, -1)
    for result in (run(op, x), op.run(x)):
        assert result is not None
        np.testing.assert_allclose(result, x @ weights.T, rtol=1e-5, atol=1e-6 * (np.abs(x) @ np.abs(weights.T)).max())


@merged()
@pytest.mark.parametrize("kind", TABLES, ids=str)
def test_each_type_that_stays_packed_has_a_form(kind: ElementType) -> None:
    table = decode(np.arange(1 << kind.bits, dtype=np.uint8), kind.name)
    assert coding_of(Lookup(np.zeros((7, 2, 32), np.uint8), table, kind.name)).form in NUMBERS


def test_weights_without_a_form_have_no_kernel() -> None:
    table = decode(np.arange(256, dtype=np.uint8), "f8e8m0")
    with pytest.raises(Unsupported, match=r"^weights of f8e8m0$"):
        coding_of(Lookup(np.zeros((7, 2, 32), np.uint8), table, "f8e8m0"))


def test_few_rows_are_the_same_number_with_and_without_kernels() -> None:
    assert FEW_ROWS == micro.FEW_ROWS


@merged()
@pytest.mark.parametrize("size", [6, 30])
def test_groups_that_are_no_whole_words_have_no_kernel(size: int) -> None:
    codes = np.zeros((7, 2, size), np.int8)
    op = FusedPackedMatMul(
        fact=Fact(F32, Shape((3, 7))),
        weights=PackedMatrix(codes, np.ones((7, 2), np.float32), None),
        bias=None,
        activation=None,
    )
    with pytest.raises(Unsupported, match=f"groups of {size} weights"):
        run(op, np.ones((3, 2 * size), np.float32))


@merged()
@pytest.mark.parametrize(("bits", "groups", "size"), [(4, 3, 32), (8, 1, 260)])
@pytest.mark.parametrize("rows", [1, FEW_ROWS, FEW_ROWS + 1, 33])
def test_a_product_of_several_rows_in_bf16(rows: int, bits: int, groups: int, size: int) -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 1 << bits, (70, groups, size)).astype(np.uint8)
    zero = random.integers(0, 1 << bits, (70, groups)).astype(np.float32)
    scale = random.random((70, groups), np.float32)
    x = random.standard_normal((rows, groups * size), np.float32)
    weights = ((codes - zero[..., np.newaxis]) * scale[..., np.newaxis]).reshape(70, -1)
    if rows > FEW_ROWS:
        x, weights = rounded(x, "bf16"), rounded(weights, "bf16")
    expected = x.astype(np.float64) @ weights.T
    op = FusedPackedMatMul(
        fact=Fact(F32, Shape((rows, 70))), weights=PackedMatrix(codes, scale, zero), bias=None, activation=None
    )
    half = op.in_precision(BF16)
    for result in (run(half, x), half.run(x)):
        assert result is not None
        np.testing.assert_allclose(result, expected, atol=2e-6 * np.abs(x).max() * np.abs(weights).sum(1).max())
