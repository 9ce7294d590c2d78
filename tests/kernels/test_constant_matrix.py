"""Products with a constant matrix, packed and not: whatever the sizes and the layout, they are what NumPy's are."""

from __future__ import annotations

import ctypes
import mmap
from itertools import product as combinations
from pathlib import Path

import numpy as np
import pytest

from irrun.kernels import blas, constant_matrix, rows
from irrun.kernels.calls import perform
from irrun.kernels.constant_matrix import ConstantMatrix
from irrun.kernels.finish import Finish
from irrun.kernels.threads import set_threads, single_blas, threads

Array = blas.Array

SIZES = [(5, 300, 77), (4, 9601, 1), (7, 1, 9700), (16, 100, 1000), (33, 1000, 130), (700, 1100, 129)]

needs_kernel = pytest.mark.skipif(blas.kernel() is None, reason="NumPy's BLAS shows no kernel on this machine")


def normal(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def laid(matrix: Array, by_columns: bool) -> Array:
    return np.asfortranarray(matrix) if by_columns else np.ascontiguousarray(matrix)


@needs_kernel
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("left", "right", "turned"), list(combinations([False, True], repeat=3)))
def test_packed_products_are_added(sizes: tuple[int, int, int], left: bool, right: bool, turned: bool) -> None:
    count, depth, columns = sizes
    a, b = normal(count, depth), normal(depth, columns, seed=1)
    matrix = ConstantMatrix(lambda: laid(b, right).copy("K"), b.shape, b.dtype, turned)
    with single_blas():
        assert matrix.is_packed_for(count)
        for low, high in [(0, columns), (16, min(columns, 48)), (columns // 16 * 16, columns)]:
            if low >= high:
                continue
            out = laid(np.ones((count, high - low), np.float32), turned)
            perform(matrix.add_product(laid(a, left), out, low, high))
            np.testing.assert_allclose(out, 1 + a @ b[:, low:high], rtol=1e-4, atol=2e-3)


@needs_kernel
def test_what_is_packed_is_given_back_as_it_was() -> None:
    b = normal(1100, 129)
    b[3, 5], b[700, 128], b[1099, 0] = np.inf, -0.0, np.nan
    for turned in (False, True):
        matrix = ConstantMatrix(b.copy, b.shape, b.dtype, turned)
        with single_blas():
            assert matrix.is_packed_for(8)
        before = threads()
        set_threads(2)
        try:
            assert not matrix.is_packed_for(8)
            assert matrix._as_it_is().tobytes() == b.tobytes()
        finally:
            set_threads(before)


@pytest.mark.parametrize(
    ("rows", "shape", "dtype"), [(3, (300, 300), "f4"), (9, (96, 100), "f4"), (9, (300, 300), "f8")]
)
def test_what_is_not_packed(rows: int, shape: tuple[int, int], dtype: str) -> None:
    """Few rows, a light matrix, another type."""
    b = normal(*shape).astype(dtype)
    a = normal(rows, shape[0], seed=1).astype(dtype)
    matrix = ConstantMatrix.of(b)
    with single_blas():
        assert not matrix.is_packed_for(rows)
        for out in (np.empty((rows, shape[1]), dtype), np.empty((shape[1], rows), dtype).T):
            perform(matrix.multiply(a, out))
            np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-4)


def test_without_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_matrix, "kernel", lambda: None)
    a, b = normal(20, 200), normal(200, 300, seed=1)
    out = np.empty((20, 300), np.float32)
    with single_blas():
        rows.product(a, ConstantMatrix.of(b), out, Finish(b[0], None))
    np.testing.assert_allclose(out, a @ b + b[0], rtol=1e-5, atol=1e-3)


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sizes", [(7, 300, 1100), (64, 300, 30), (400, 320, 50)])
def test_finished_products(sizes: tuple[int, int, int], turned: bool) -> None:
    count, depth, columns = sizes
    a, b = normal(count, depth), normal(depth, columns, seed=1)
    bias, summand = normal(columns, seed=2), normal(count, columns, seed=3)
    finish = Finish(bias, lambda block: np.negative(block, out=block))
    out = laid(np.empty((count, columns), np.float32), turned)
    rows.product(a, ConstantMatrix.of(b, turned), out, finish, summand)
    np.testing.assert_allclose(out, -(a @ b + bias + summand), rtol=1e-4, atol=1e-3)


@needs_kernel
def test_packing_lets_go_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    b = normal(1024, 1024)
    path.write_bytes(b"\0" * 512 + b.tobytes())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    weights = np.frombuffer(mapped, np.float32, b.size, 512).reshape(b.shape)
    out = np.zeros((8, 1024), np.float32)
    matrix = ConstantMatrix.of(weights)
    with single_blas():
        assert matrix.is_packed_for(8)
        assert resident(blas.address(weights), weights.nbytes) < 0.1
        perform(matrix.add_product(b[:8], out))
    np.testing.assert_allclose(out, b[:8] @ weights, rtol=1e-4, atol=1e-3)


def resident(start: int, size: int) -> float:
    """Which part of the memory this process has mapped and present."""
    page = mmap.PAGESIZE
    with open("/proc/self/pagemap", "rb", buffering=0) as pages:
        pages.seek(start // page * 8)
        entries = np.frombuffer(pages.read(size // page * 8), np.uint64)
    return float((entries >> 63).mean())


def test_a_kernel_that_does_something_else_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None: ...

    fake = blas.Kernel(nothing, (nothing,) * 4)
    assert not blas._is_as_expected(fake)
    monkeypatch.setattr(blas.Kernel, "of", lambda *_: fake)
    blas.kernel.cache_clear()
    try:
        assert blas.kernel() is None
    finally:
        monkeypatch.undo()
        blas.kernel.cache_clear()


def test_a_library_without_the_functions() -> None:
    with pytest.raises(AttributeError):
        blas.Kernel.of(ctypes.CDLL(None), "SKYLAKEX")
