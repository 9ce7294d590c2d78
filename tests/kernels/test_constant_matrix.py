"""Products with a constant matrix, packed and not: whatever the sizes and the layout, they are what NumPy's are."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import product as combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.kernels import blas, constant_matrix, rows
from irrun.kernels.blas import LANES, MicroKernel, address, micro_kernel
from irrun.kernels.calls import Recorded, call, perform
from irrun.kernels.constant_matrix import ConstantMatrix, Panels
from irrun.kernels.finish import Finish
from irrun.kernels.threads import set_threads, single_blas, threads

Array = blas.Array

SIZES = [(5, 300, 77), (4, 9601, 1), (7, 1, 9700), (16, 100, 1000), (33, 1000, 130), (700, 1100, 129), (1, 200, 90)]
PLAIN = Finish(None, None)

needs_kernel = pytest.mark.skipif(micro_kernel() is None, reason="NumPy's BLAS shows no kernel on this machine")


def normal(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def laid(matrix: Array, by_columns: bool) -> Array:
    return np.asfortranarray(matrix) if by_columns else np.ascontiguousarray(matrix)


def panels(matrix: Array, turned: bool = False) -> Panels:
    found = micro_kernel()
    assert found is not None
    return Panels(found, matrix, turned=turned)


@pytest.fixture
def several_threads() -> Iterator[None]:
    """BLAS shares products between two threads."""
    before = threads()
    set_threads(2)
    yield
    set_threads(before)


@needs_kernel
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("left", "right", "turned"), list(combinations([False, True], repeat=3)))
def test_packed_products_are_added(sizes: tuple[int, int, int], left: bool, right: bool, turned: bool) -> None:
    count, depth, columns = sizes
    a, b = normal(count, depth), normal(depth, columns, seed=1)
    packed = panels(laid(b, right), turned)
    for low, high in [(0, columns), (LANES, 3 * LANES), (columns // LANES * LANES, columns)]:
        if low < high <= columns:
            out = laid(np.ones((count, high - low), np.float32), turned)
            perform(packed.add_product(laid(a, left), out, low, high))
            np.testing.assert_allclose(out, 1 + a @ b[:, low:high], rtol=1e-4, atol=2e-3)


@needs_kernel
def test_data_and_results_with_gaps() -> None:
    data, b = normal(30, 500), normal(200, 90, seed=1)
    packed = panels(b[:, ::1])
    for a in (data[:, :200], data[::3, 200:400], data[:20, ::2][:, :200], data[::-1, :200]):
        whole = np.zeros((len(a), 100), np.float32)
        perform(packed.add_product(a, whole[:, 5:95], 0, 90))
        np.testing.assert_allclose(whole[:, 5:95], a @ b, rtol=1e-4, atol=1e-3)
        assert not np.delete(whole, np.s_[5:95], axis=1).any()


@needs_kernel
@pytest.mark.parametrize(("low", "high"), [(8, 48), (16, 40), (1, 90)])
def test_columns_are_packed_in_groups(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=f"columns {low} to {high}, expected multiples of 16"):
        perform(panels(normal(200, 90)).add_product(normal(5, 200), np.zeros((5, high - low), np.float32), low, high))


@needs_kernel
@pytest.mark.parametrize("turned", [False, True])
def test_packing_loses_nothing(turned: bool) -> None:
    b = normal(1100, 129)
    b[3, 5], b[700, 128], b[1099, 0] = np.inf, -0.0, np.nan
    assert panels(b, turned).unpacked().tobytes() == b.tobytes()


@needs_kernel
@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("turned", [False, True])
def test_what_was_packed_is_made_plain_for_several_threads(turned: bool) -> None:
    a, b, made = normal(8, 1100), normal(1100, 129, seed=1), []

    def make() -> Array:
        made.append(b)
        return b.copy()

    matrix = ConstantMatrix(make, b.shape, b.dtype, turned=turned)
    for held in (True, False, False, True):
        out = laid(np.empty((8, 129), np.float32), turned)
        with single_blas() if held else nullcontext():
            perform(matrix.product(a, out, PLAIN))
        np.testing.assert_allclose(out, a @ b, rtol=1e-4, atol=1e-3)
    assert len(made) == 1


@pytest.mark.parametrize(("count", "depth", "dtype"), [(3, 300, "f4"), (9, 30, "f4"), (9, 300, "f8")])
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_not_packed(count: int, depth: int, dtype: str, turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows, a light matrix, another type."""
    monkeypatch.setattr(constant_matrix, "Panels", None)
    a, b = normal(count, depth).astype(dtype), normal(depth, 310, seed=1).astype(dtype)
    out = laid(np.empty((count, 310), dtype), turned)
    with single_blas():
        perform(ConstantMatrix.of(b, turned=turned).product(a, out, PLAIN))
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-4)


def test_without_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_matrix, "micro_kernel", lambda: None)
    a, b = normal(20, 200), normal(200, 300, seed=1)
    out = np.empty((20, 300), np.float32)
    with single_blas():
        rows.product(a, ConstantMatrix.of(b), out, Finish(b[0], None), repeatable=True)
    np.testing.assert_allclose(out, a @ b + b[0], rtol=1e-5, atol=1e-3)


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sizes", [(7, 300, 1100), (64, 300, 30), (400, 320, 50), (0, 300, 50), (5, 300, 0)])
def test_finished_products(sizes: tuple[int, int, int], turned: bool) -> None:
    count, depth, columns = sizes
    a, b = normal(count, depth), normal(depth, columns, seed=1)
    bias, summand = normal(columns, seed=2), normal(count, columns, seed=3)
    finish = Finish(bias, lambda block: np.negative(block, out=block))
    out = laid(np.empty((count, columns), np.float32), turned)
    rows.product(a, ConstantMatrix.of(b, turned=turned), out, finish, summand, repeatable=True)
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
    with single_blas():
        perform(ConstantMatrix.of(weights).product(b[:8], out, PLAIN))
    assert resident(address(weights), weights.nbytes) < 0.1
    np.testing.assert_allclose(out, b[:8] @ weights, rtol=1e-4, atol=1e-3)


def resident(start: int, size: int) -> float:
    """Which part of the memory this process has mapped and present."""
    page = mmap.PAGESIZE
    with open("/proc/self/pagemap", "rb", buffering=0) as pages:
        pages.seek(start // page * 8)
        entries = np.frombuffer(pages.read(size // page * 8), np.uint64)
    return float((entries >> 63).mean())


def nothing(true: MicroKernel) -> MicroKernel:
    return MicroKernel(lambda *_: None, true.copies)


def one_column_more(true: MicroKernel) -> MicroKernel:
    def multiply(m: int, *others: Any) -> None:
        true.multiply(m, *others)
        true.multiply(m + 1, *others)

    return MicroKernel(multiply, true.copies)


def padding(true: MicroKernel) -> MicroKernel:
    """A row more than there is."""

    def copy(into: Callable[..., object]) -> Callable[..., object]:
        def padded(depth: int, count: int, source: int, step: int, to: int) -> None:
            into(depth, count, source, step, to)
            ctypes.memset(to + 4 * depth * count, 0, 4 * depth)

        return padded

    return MicroKernel(true.multiply, (*map(copy, true.copies),))  # type: ignore[arg-type]


@needs_kernel
@pytest.mark.parametrize("fault", [nothing, one_column_more, padding])
def test_a_kernel_that_does_something_else_is_not_taken(
    fault: Callable[[MicroKernel], MicroKernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = micro_kernel()
    assert true is not None
    assert blas._is_as_expected(true)
    fake = fault(true)
    monkeypatch.setattr(MicroKernel, "of", lambda *_: fake)
    micro_kernel.cache_clear()
    try:
        assert micro_kernel() is None
    finally:
        monkeypatch.undo()
        micro_kernel.cache_clear()


def test_a_library_without_the_functions() -> None:
    with pytest.raises(AttributeError):
        MicroKernel.of(ctypes.CDLL(None), "SKYLAKEX")


def test_recorded_calls_are_made_once_for_each_range_and_done_each_time() -> None:
    values, total, made = np.arange(6.0), np.zeros(6), []

    def make(start: int, stop: int) -> Iterator[Any]:
        made.append((start, stop))
        yield call(np.add, total[start:stop], values[start:stop], total[start:stop])

    work = Recorded(make)
    for first, last in [(0, 3), (3, 6), (0, 3), (0, 3)]:
        work(first, last)
        values += 1
    assert made == [(0, 3), (3, 6)]
    assert total.tolist() == [0 + 2 + 3, 1 + 3 + 4, 2 + 4 + 5, 4, 5, 6]
