"""Sequences whose bounds are sizes of a run."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.ops._declared.generation.range import RangeV1, RangeV4
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.lowering.sorting import lower_range
from irrun.runtime.view import View
from irrun.tensor.element_type import BY_NAME, F32, I64, dtype_text
from irrun_kernels.elements import KINDS
from tests.kernels.compiled.lowered import opened, results
from tests.kernels.merged import merged


@merged()
@pytest.mark.parametrize("kind", [each.name for each in KINDS])
@pytest.mark.parametrize(("start", "step"), [(0, 1), (3, -1), (-5, 2)])
def test_a_sequence_of_each_type(kind: str, start: int, step: int) -> None:
    op = RangeV4(output_type=BY_NAME[dtype_text(np.dtype(kind))])

    def lower(builder: Builder, x: View) -> View:
        return lower_range(op, builder, np.array(start), np.array(start + step * x.shape[0], object), np.array(step))

    compute = opened(lower, [np.zeros(3, np.float32)], (0,))
    for count in (3, 1, 300):
        found = compute([np.zeros(count, np.float32)])
        np.testing.assert_array_equal(found, (start + step * np.arange(count)).astype(kind))


@merged()
@pytest.mark.parametrize("bounds", [(0, 10, 3), (0, 9, 3), (10, 0, -3), (9, 0, -3), (5, 5, -1), (0, 5, -1), (5, 0, 1)])
def test_the_end_is_left_out(bounds: tuple[int, int, int]) -> None:
    builder = Builder()
    out = lower_range(RangeV4(output_type=I64), builder, *map(np.array, bounds))
    (found,) = results(builder, [], [], [out])
    np.testing.assert_array_equal(found, np.arange(*bounds))


def test_bounds_that_are_sizes_of_a_run() -> None:
    op = RangeV4(output_type=I64)

    def lower(builder: Builder, x: View) -> View:
        bounds = [np.array(bound, object) for bound in (x.shape[0], x.shape[0] + 2 * x.shape[1])]
        return lower_range(op, builder, *bounds, np.array(2))

    compute = opened(lower, [np.zeros((3, 5), np.float32)], (0, 1))
    for rows, columns in ((3, 5), (4, 1), (1, 40_000)):
        found = compute([np.zeros((rows, columns), np.float32)])
        np.testing.assert_array_equal(found, np.arange(rows, rows + 2 * columns, 2))


def test_a_step_that_is_a_size_of_a_run() -> None:
    op = RangeV4(output_type=I64)

    def lower(builder: Builder, x: View) -> View:
        return lower_range(op, builder, np.array(0), np.array(9), np.array(x.shape[0], object))

    compute = opened(lower, [np.zeros(3, np.float32)], (0,))
    for size in (3, 2, 12, 1):
        np.testing.assert_array_equal(compute([np.zeros(size, np.float32)]), np.arange(0, 9, size))
    assert compute([np.zeros(0, np.float32)]) is None


@pytest.mark.parametrize("version", [RangeV1(), RangeV4(output_type=F32)])
def test_floats_up_to_a_size_of_a_run(version: RangeV1 | RangeV4) -> None:
    def lower(builder: Builder, x: View) -> View:
        bounds = [np.array(0.5, np.float32), np.array(x.shape[0], object), np.array(0.75, np.float32)]
        return lower_range(version, builder, *bounds)

    compute = opened(lower, [np.zeros(3, np.float32)], (0,))
    for size in (3, 7, 0, 100):
        found = compute([np.zeros(size, np.float32)])
        np.testing.assert_array_equal(found, np.arange(0.5, size, 0.75, np.float32))


def test_bounds_that_all_depend_on_sizes_have_no_type() -> None:
    def lower(builder: Builder, x: View) -> View:
        return lower_range(RangeV1(), builder, *(np.array(x.shape[0], object) for _ in range(3)))

    with pytest.raises(Unsupported, match="bounds that all depend on sizes"):
        opened(lower, [np.zeros(3, np.float32)], (0,))
