"""Arrays whose files say what is not there, and values that have no type of the IR."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.work import _reason
from irrun.evaluation.files.arrays import read_array
from irrun.evaluation.handing import _onnx_type
from irrun.evaluation.likeliest import likeliest
from tests.cases import f32


def npy(array: Any, *changes: tuple[bytes, bytes]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    data = file.getvalue()
    for old, new in changes:
        assert old in data
        data = data.replace(old, new)
    return data


@pytest.mark.parametrize(
    ("data", "length", "message"),
    [
        (npy(f32([1, 2]))[:-3], 136, "x cannot be read: 5 bytes after the header, expected 8"),
        (npy(f32([1, 2]))[:40], 136, "x cannot be read: it ends too early"),
        (npy(f32([1, 2]), (b"'<f4'", b"'<x4'")), 136, 'x cannot be read: there is no type "<x4"'),
        (npy(f32([1, 2])), 134, "x cannot be read: float32[2] takes 8 bytes, and 6 follow"),
        (npy(f32([1, 2])), 140, "x cannot be read: 4 bytes after the array, expected none"),
    ],
)
def test_arrays_that_are_not_what_the_header_says(data: bytes, length: int, message: str) -> None:
    with pytest.raises(RequestError) as error:
        read_array(io.BytesIO(data), length, "x")
    assert str(error.value) == message


def test_an_array_in_the_order_of_its_columns() -> None:
    array = np.asfortranarray(np.arange(6).reshape(2, 3))
    data = npy(array)
    assert read_array(io.BytesIO(data), len(data), "x").tolist() == array.tolist()


def test_types_of_onnx() -> None:
    assert _onnx_type("tensor(float)")[0].name == "f32"
    with pytest.raises(ValueError, match=r"^tensor\(complex64\) is no tensor of an element type of the IR$"):
        _onnx_type("tensor(complex64)")


def test_scores_are_in_arrays_of_two_axes() -> None:
    images, scores = np.zeros((1, 2, 3), np.float32), f32([[1, 3, 2]])
    (row,) = likeliest([images, np.array(["a"]), scores], 2)
    assert [item["class"] for item in row] == [1, 2]
    assert likeliest([images], 2) == []


def test_why_an_item_failed() -> None:
    assert _reason(OSError(28, "No space left on device", "x")) == "x: No space left on device"
    assert _reason(MemoryError()) == "not enough memory"
    assert _reason(MemoryError("of 3 GiB")) == "not enough memory: of 3 GiB"
    assert _reason(RequestError("x is missing")) == "x is missing"
