"""The largest and smallest elements along an axis, against the operations' own `run`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.ops._declared.sort.top_k import TopKV1, TopKV3, TopKV11
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder
from irrun.tensor import Array
from tests.kernels.compiled.lowered import opened, placed, results
from tests.kernels.compiled.test_elements import INTEGERS, values
from tests.kernels.merged import merged


def check(op: Any, data: Array, k: int) -> None:
    builder = Builder()
    x = placed(builder, data)
    outs = lowering_of(type(op)).function(op, builder, x, np.array(k))
    assert outs is not None
    found, places = results(builder, [x], [data], outs)
    wanted, indices = op.run(data, np.array(k))
    assert found.dtype == data.dtype
    assert places.dtype == np.dtype(op.index_element_type.replace("i", "int"))
    np.testing.assert_array_equal(places, indices)
    np.testing.assert_array_equal(found, wanted)


@merged()
@pytest.mark.parametrize("dtype", ["float32", *sorted(set(INTEGERS) - {"uint64"})])
@pytest.mark.parametrize("sort", ["value", "none"])
@pytest.mark.parametrize("mode", ["min", "max"])
def test_every_type(dtype: str, mode: str, sort: str) -> None:
    data = values(dtype, 3 * 40 * 7).reshape(3, 40, 7)
    for axis, k in ((0, 2), (1, 1), (1, 9), (1, 40), (-1, 3)):
        check(TopKV11(axis=axis, mode=mode, sort=sort, index_element_type="i64"), data, k)
    check(TopKV3(axis=1, mode=mode, sort=sort), np.asfortranarray(data), 5)
    check(TopKV1(axis=2, mode=mode, sort=sort), data, 6)


def test_long_rows_with_many_equal_elements() -> None:
    random = np.random.default_rng(0)
    for data in (random.integers(0, 5, (2, 5000)), random.standard_normal((2, 5000)).astype(np.float32)):
        for k in (1, 50, 3000):
            check(TopKV11(axis=1, mode="max", sort="value", stable=True), data, k)


def test_sizes_of_a_run() -> None:
    op = TopKV11(axis=1, mode="max", sort="value", index_element_type="i64")
    random = np.random.default_rng(1)
    hint = random.standard_normal((4, 30)).astype(np.float32)
    function = lowering_of(TopKV11).function
    for number in range(2):
        compute = opened(lambda builder, x, n=number: function(op, builder, x, np.array(3))[n], [hint], {0, 1})
        for shape in ((4, 30), (1, 3), (9, 2000)):
            data = random.standard_normal(shape).astype(np.float32)
            found = compute([data])
            assert found is not None
            np.testing.assert_array_equal(found, op.run(data, np.array(3))[number])
    assert compute([hint[:, :2]]) is None
