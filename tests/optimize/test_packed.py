"""Weights whose decompression is of another form, and so becomes floats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.optimize import packed
from irrun.tensor.element_type import F16, F32, I64, U8
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.test_keep_packed import decompressed, same, whole

ROWS, COLUMNS = 24, 96


def floats(net: Net, shape: tuple[int, ...] = (ROWS, COLUMNS)) -> Handle:
    return net.layer("Convert", [whole(net, U8, shape)], ",".join(map(str, shape)), destination_type=F32)


def scaled(net: Net, data: Handle, scale: Handle | None = None) -> Handle:
    return net.layer("Multiply", [data, net.normal(ROWS, 1) if scale is None else scale], f"{ROWS},{COLUMNS}")


def scaled_twice(net: Net) -> Handle:
    return scaled(net, scaled(net, floats(net)))


def zero_after_zero(net: Net) -> Handle:
    once = net.layer("Subtract", [floats(net), net.normal(ROWS, 1)], f"{ROWS},{COLUMNS}")
    return net.layer("Subtract", [once, net.normal(ROWS, 1)], f"{ROWS},{COLUMNS}")


def scale_that_varies(net: Net) -> Handle:
    return scaled(net, floats(net), net.parameter("s", f"{ROWS},1"))


def scale_that_widens(net: Net) -> Handle:
    return scaled(net, floats(net, (ROWS, 1)), net.normal(ROWS, COLUMNS))


def activation(net: Net) -> Handle:
    return net.layer("ReLU", [scaled(net, floats(net))], f"{ROWS},{COLUMNS}")


def reshaped_twice(net: Net) -> Handle:
    once = net.layer("Reshape", [floats(net), net.constant([COLUMNS, ROWS])], f"{COLUMNS},{ROWS}", special_zero=False)
    again = net.constant([ROWS, COLUMNS])
    return net.layer("Reshape", [once, again], f"{ROWS},{COLUMNS}", special_zero=False)


def groups_across_rows(net: Net) -> Handle:
    return decompressed(net, U8, (4, ROWS, ROWS), (4, 1, ROWS), with_zero=True, through=F32, final=(ROWS, COLUMNS))


def scale_within_groups(net: Net) -> Handle:
    return decompressed(net, U8, (ROWS, 4, ROWS), (ROWS, 1, ROWS), with_zero=False, through=F32, final=(ROWS, COLUMNS))


@merged()
@pytest.mark.parametrize(
    ("form", "layers"),
    [
        (scaled_twice, {"MatMul": 1}),
        (zero_after_zero, {"MatMul": 1}),
        (scale_that_varies, {"MatMul": 1, "Multiply": 1}),
        (scale_that_widens, {"MatMul": 1}),
        (activation, {"MatMul": 1}),
        (reshaped_twice, {"MatMul": 1}),
        (groups_across_rows, {"MatMul": 1}),
        (scale_within_groups, {"MatMul": 1}),
    ],
)
def test_other_forms(tmp_path: Path, form: Callable[[Net], Handle], layers: dict[str, int]) -> None:
    net = Net()
    matrix = form(net)
    net.result(net.layer("MatMul", [net.parameter("x", f"2,{COLUMNS}"), matrix], f"2,{ROWS}", transpose_b=True))
    same(net, tmp_path, layers, LOW_MEMORY=True)


def test_batches_of_matrices(tmp_path: Path) -> None:
    net = Net()
    matrices = decompressed(net, U8, (2, COLUMNS, ROWS), (2, 1, ROWS), with_zero=False, through=F32)
    net.result(net.layer("MatMul", [net.parameter("x", f"2,3,{COLUMNS}"), matrices], f"2,3,{ROWS}"))
    same(net, tmp_path, {"MatMul": 1}, LOW_MEMORY=True)


def test_halves_with_another_consumer(tmp_path: Path) -> None:
    net = Net()
    stored = net.constant(net.random.standard_normal((ROWS, COLUMNS), dtype=np.float32), F16)
    matrix = net.layer("Convert", [stored], f"{ROWS},{COLUMNS}", destination_type=F32)
    net.result(net.layer("MatMul", [net.parameter("x", f"2,{COLUMNS}"), matrix], f"2,{ROWS}", transpose_b=True))
    net.result(*net.layers("ReLU", [stored], [(F16, f"{ROWS},{COLUMNS}")]))
    same(net, tmp_path, {"MatMul": 1}, LOW_MEMORY=True)


@pytest.mark.parametrize("batches", [0, 1])
def test_gathers_of_other_than_rows(tmp_path: Path, batches: int) -> None:
    net = Net()
    table = scaled(net, floats(net))
    indices = net.constant(np.arange(ROWS)) if batches else net.constant([3, 1])
    shape = f"{ROWS}" if batches else f"{ROWS},2"
    made = net.layer("Gather", [table, indices, net.constant(np.array(1))], shape, 8, batch_dims=batches)
    net.result(net.layer("Multiply", [made, net.parameter("x", "1")], shape))
    same(net, tmp_path, {"Multiply": 1}, LOW_MEMORY=True)


def test_rows_of_large_tables_stay_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "LEAST_OF_ALL", 0)
    monkeypatch.setattr(packed, "LEAST_ELEMENTS", 0)
    net = Net()
    picked = net.layers("Convert", [net.parameter("x", "3")], [(I64, "3")], destination_type=I64)[0]
    axis = net.constant(np.array(0))
    net.result(net.layer("Gather", [scaled(net, floats(net)), picked, axis], f"3,{COLUMNS}", 8, batch_dims=0))
    same(net, tmp_path, {"Convert": 1, "FusedPackedGather": 1})


def test_values_without_a_scale_and_products_of_no_kernel() -> None:
    value = packed.Packed(np.array([[1, 2], [3, 4]], np.uint8), np.array([[2], [1]], np.float32), None, (2, 2))
    np.testing.assert_array_equal(value.unpacked(), [[-1, 0], [2, 3]])
    np.testing.assert_array_equal(value.transposed().unpacked(), [[-1, 2], [0, 3]])
    assert packed.Packed(value.stored, None, np.array([[1, 2]], np.float32), (2, 2)).matrix(True) is None
    assert packed.Packed(np.zeros((2, 2, 2), np.uint8), None, None, (2, 2, 2)).matrix(False) is None
    assert packed.Packed(np.zeros((2, 2, 2), np.uint8), None, None, (4, 2)).matrix(True) is None
