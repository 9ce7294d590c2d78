"""Temporary arrays stay small: padding has a limit, and large results are computed in blocks."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from irrun.kernels import convolution
from irrun.kernels.convolution import convolve
from irrun.ops import Op, OpError
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops.calling import conform, infer, run
from irrun.ops.registry import resolve
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import F32

WINDOWS = {"strides": (1, 1), "pads_begin": (10**8, 0), "pads_end": (0, 0)}


def pool(type: str, opset: int, **more: object) -> Op:
    return resolve(type, f"opset{opset}")(**WINDOWS, kernel=(10**8, 1), **more)


@pytest.mark.parametrize(
    "op", [pool("AvgPool", 1, exclude_pad=False), pool("AvgPool", 14, exclude_pad=True), pool("MaxPool", 1)], ids=repr
)
def test_windows_of_padding(op: Op) -> None:
    message = r"padding enlarges the spatial sizes \[8, 8\] to \[100000008, 8\] for \[9, 8\] windows"
    with pytest.raises(OpError, match=message):
        infer(op, [Fact(F32, Shape([1, 1, 8, 8]))])
    with pytest.raises(OpError, match=message):
        run(op, [np.zeros((1, 1, 8, 8), np.float32)], [F32])


def test_large_dilations() -> None:
    op = resolve("Convolution", "opset1")(**{**WINDOWS, "dilations": (5 * 10**7, 1)})
    with pytest.raises(OpError, match="padding enlarges"):
        infer(op, [Fact(F32, Shape([1, 1, 8, 8])), Fact(F32, Shape([1, 1, 3, 1]))])


def test_padding_of_large_tensors_and_outputs() -> None:
    op = resolve("Convolution", "opset1")(**{**WINDOWS, "dilations": (1, 1), "pads_begin": (1000, 1000)})
    found = infer(op, [Fact(F32, Shape([1, 1, 8, 8])), Fact(F32, Shape([1, 1, 3, 3]))])
    assert found == (Fact(F32, Shape([1, 1, 1006, 1006])),)


@pytest.mark.parametrize("type", ["i8", "i64", "f16"])
def test_ranges(type: str) -> None:
    op = resolve("Range", "opset4")(output_type=ElementType.named(type))
    numbers = [np.array(number, np.int64) for number in (-5, 900_000, 1)]
    tracemalloc.start()
    try:
        (found,) = run(op, numbers, [op.output_type])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < found.nbytes + 2**23
    np.testing.assert_array_equal(found[:200_000:7], conform(np.arange(-5, 199_995, 7), op.output_type))
    assert found.size == 900_005


@pytest.mark.parametrize("kernel", [(2, 3), (1, 5)])
def test_convolution_of_long_rows(kernel: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    data = random.integers(0, 9, (2, 6, 5, 40)).astype(np.float32)
    weights = random.integers(0, 9, (2, 3, 3, *kernel)).astype(np.float32)
    arguments = data, weights, Windows((2, 1), (1, 2), (1, 0), (0, 3)).geometry((5, 40), kernel)
    whole = convolve(*arguments)
    for name in ("_MATRIX_BLOCK", "_LEAST_POINTS"):
        monkeypatch.setattr(convolution, name, 7)
    np.testing.assert_array_equal(convolve(*arguments), whole)


def test_a_convolution_of_long_rows_takes_little_memory() -> None:
    data, weights = np.ones((1, 1, 1, 200_000), np.float32), np.ones((1, 1, 1, 256), np.float32)
    geometry = Windows((1, 1), (1, 1), (0, 0), (0, 0)).geometry((1, 200_000), (1, 256))
    tracemalloc.start()
    try:
        result = convolve(data, weights[None], geometry)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**24
    np.testing.assert_array_equal(result, np.full((1, 1, 1, 199_745), 256))
