"""Products in the pieces that BLAS does fastest: whatever the sizes, they are what NumPy's are."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.products import multiply, multiply_through, rows_at_a_time
from irrun.kernels.rows import product


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("rows", [1, 5, 127, 250, 2001])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_a_light_matrix_on_the_right(rows: int, stack: tuple[int, ...]) -> None:
    random = np.random.default_rng(rows)
    a = random.standard_normal((rows, 90), dtype=np.float32)[:, :64]
    b = random.standard_normal((*stack, 64, 40), dtype=np.float32)
    out = np.empty((*stack, rows, 48), np.float32)
    multiply(a, b, out[..., :40])
    np.testing.assert_allclose(out[..., :40], a @ b, rtol=1e-5, atol=1e-4)


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("columns", [1, 31, 32, 64, 96, 128, 160])
@pytest.mark.parametrize("rows", [3, 16, 100])
def test_a_large_matrix_on_the_left(rows: int, columns: int) -> None:
    random = np.random.default_rng(columns)
    a = random.standard_normal((rows, 700), dtype=np.float32)
    for b in (random.standard_normal((700, columns), dtype=np.float32), a[:columns].T):
        out = np.empty((rows, b.shape[1]), np.float32)
        multiply_through(a, b, out)
        np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-3)


def test_rows_are_taken_where_blas_copies_nothing() -> None:
    assert rows_at_a_time(768, 64) == 16
    assert rows_at_a_time(3072, 64) == 4
    assert [rows_at_a_time(*sizes) for sizes in [(768, 63), (768, 160), (8000, 64), (0, 64), (768, 0)]] == [0] * 5


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("rows", [7, 64])
@pytest.mark.parametrize("columns", [30, 1100])
def test_columns_that_are_runs_of_memory(rows: int, columns: int) -> None:
    random = np.random.default_rng(columns)
    a = random.standard_normal((rows, 300), dtype=np.float32)
    b = random.standard_normal((columns, 300), dtype=np.float32).T
    bias = random.standard_normal(columns, dtype=np.float32)
    summand = random.standard_normal((rows, columns), dtype=np.float32)
    out = np.empty((rows, columns), np.float32)
    product(a, b, out, bias, summand, lambda block: np.negative(block, out=block))
    np.testing.assert_allclose(out, -(a @ b + bias + summand), rtol=1e-5, atol=1e-3)
