"""Indices of elements that are not zero, against the operation's own `run`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.ops._declared.condition.non_zero import NonZero
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.view import View
from irrun.tensor import Array
from tests.kernels.compiled.lowered import placed, results
from tests.kernels.compiled.test_elements import FLOATS, INTEGERS
from tests.kernels.merged import merged


def check(data: Array, **attributes: Any) -> None:
    op, counts = NonZero(**attributes), []

    class Counting(Builder):
        def counted(self, array: View, count: View) -> View:
            counts.append(count)
            return array

    builder = Counting()
    x = placed(builder, data)
    out = lowering_of(NonZero).function(op, builder, x)
    found, (count,) = results(builder, [x], [data], [out, *counts])
    expected = op.run(data)
    assert count == expected.shape[1]
    np.testing.assert_array_equal(found[:, :count], expected)


@merged()
@pytest.mark.parametrize("dtype", ["bool", *FLOATS, *INTEGERS])
def test_every_type(dtype: str) -> None:
    random = np.random.default_rng(0)
    data = random.integers(0, 3, (5, 7, 4)).astype(dtype)
    check(data, output_type="i64")
    check(np.asfortranarray(data), output_type="i32")


@merged()
@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (1000,), (3, 9), (1, 64), (2, 1, 3, 1, 5), (2,) * 8])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_every_shape(shape: tuple[int, ...], share: float) -> None:
    check(np.random.default_rng(1).random(shape) < share, output_type="i64")


def test_negative_zero_and_nan() -> None:
    check(np.array([0.0, -0.0, np.nan, 1e-45], np.float32), output_type="i64")
