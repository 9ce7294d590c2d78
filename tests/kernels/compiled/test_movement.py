"""Operations that move elements, of every width and in several layouts, against those of NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.movement.broadcast import BroadcastV1, BroadcastV3
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.depth_to_space import DepthToSpace
from irrun.ops._declared.movement.gather import GatherV1, GatherV7, GatherV8
from irrun.ops._declared.movement.gather_elements import GatherElements
from irrun.ops._declared.movement.gather_nd import GatherNDV5, GatherNDV8
from irrun.ops._declared.movement.pad import PadV12
from irrun.ops._declared.movement.reverse import Reverse
from irrun.ops._declared.movement.roll import Roll
from irrun.ops._declared.movement.scatter_elements_update import ScatterElementsUpdateV12
from irrun.ops._declared.movement.scatter_nd_update import ScatterNDUpdateV4, ScatterNDUpdateV15
from irrun.ops._declared.movement.scatter_update import ScatterUpdate
from irrun.ops._declared.movement.slice import Slice
from irrun.ops._declared.movement.slice_scatter import SliceScatter
from irrun.ops._declared.movement.space_to_depth import SpaceToDepth
from irrun.ops._declared.movement.strided_slice import StridedSlice
from irrun.ops._declared.movement.tile import Tile
from irrun.ops._declared.sequence.one_hot import OneHotV1, OneHotV16
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.movement import lower_pad
from irrun.runtime.view import Call
from irrun.tensor import Array
from irrun_kernels.elements import KINDS
from tests.kernels.compiled.lowered import placed, results, run
from tests.kernels.merged import merged

WIDTHS = ("uint8", "float16", "float32", "int64")
ORDERS = ("C", "F")


def drawn(shape: tuple[int, ...], dtype: str, order: str = "C") -> Array:
    return np.array(np.random.default_rng(0).integers(0, 99, shape), dtype, order=order)  # type: ignore[call-overload]


def check(op: Op, *arrays: Array, constants: int = 0) -> None:
    result = run(op, *arrays, constants=constants)
    assert result is not None
    absent = (None,) * (sum(not given.variadic for given in op.inputs) - len(arrays))
    wanted = op.run(*arrays, *absent)
    assert result.dtype == wanted.dtype
    np.testing.assert_array_equal(result, wanted)


REARRANGED: dict[str, tuple[Op, tuple[int, ...], tuple[Any, ...]]] = {
    "slice": (Slice(), (5, 7, 3), ([1, 6], [4, -8], [2, -1], [0, 1])),
    "empty slice": (Slice(), (5, 7), ([3], [3], [1], [1])),
    "strided slice": (
        StridedSlice(begin_mask=(0, 1, 0), end_mask=(0, 1, 0), new_axis_mask=(1, 0, 0), shrink_axis_mask=(0, 0, 1)),
        (5, 7, 3),
        ([0, 2, 4], [1, 6, 9], [1, -2, 1]),
    ),
    "reverse": (Reverse(mode="index"), (3, 4, 5), ([-1, 0],)),
    "reverse by mask": (Reverse(mode="mask"), (3, 4), ([False, True],)),
    "broadcast": (BroadcastV3(), (4, 1), ([3, 4, 5],)),
    "broadcast to nothing": (BroadcastV3(), (1, 4), ([0, 4],)),
    "explicit broadcast": (BroadcastV1(mode="explicit"), (4, 2), ([4, 3, 2], [0, 2])),
    "bidirectional broadcast": (BroadcastV3(mode="bidirectional"), (4, 3), ([2, 1, 3],)),
    "tile": (Tile(), (2, 3, 1), ([2, 1, 3, 4],)),
    "tile of fewer": (Tile(), (2, 3, 2), ([3],)),
    "pad": (PadV12(pad_mode="constant"), (3, 4, 5), ([1, 0, 3], [0, 2, 1])),
    "crop": (PadV12(pad_mode="constant"), (3, 4, 5), ([-1, 2, -2], [1, -3, 0])),
    "edge": (PadV12(pad_mode="edge"), (3, 4, 5), ([1, 0, 7], [4, 2, -1])),
    "reflect": (PadV12(pad_mode="reflect"), (3, 4, 5), ([2, 1, 4], [0, 3, -1])),
    "symmetric": (PadV12(pad_mode="symmetric"), (3, 4, 5), ([3, -1, 5], [1, 4, 2])),
    "roll": (Roll(), (3, 4, 5), ([-1, 7], [2, 0])),
    "space to depth": (SpaceToDepth(block_size=2, mode="blocks_first"), (2, 3, 4, 6), ()),
    "deep space to depth": (SpaceToDepth(block_size=2, mode="depth_first"), (2, 3, 4, 6, 2), ()),
    "depth to space": (DepthToSpace(block_size=2, mode="blocks_first"), (2, 12, 2, 3), ()),
    "deep depth to space": (DepthToSpace(block_size=3, mode="depth_first"), (2, 18, 2), ()),
}


@merged()
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", REARRANGED)
def test_a_rearrangement(name: str, order: str, dtype: str) -> None:
    op, shape, others = REARRANGED[name]
    check(op, drawn(shape, dtype, order), *map(np.array, others), constants=len(others))


@pytest.mark.parametrize("value", [7, -1.5])
def test_a_pad_with_a_number_of_a_run(value: float) -> None:
    data = drawn((3, 4), "float32")
    builder = Builder()
    number = np.array(value, np.float32)
    inputs = placed(builder, data), placed(builder, number)
    out = lower_pad(PadV12(pad_mode="constant"), builder, inputs[0], np.array([1, 0]), np.array([0, 2]), inputs[1])
    assert out is not None
    (found,) = results(builder, inputs, [data, number], [out])
    np.testing.assert_array_equal(found, np.pad(data, ((1, 0), (0, 2)), constant_values=value))


@merged()
@pytest.mark.parametrize("dtype", ["bool", *WIDTHS])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_concatenation(axis: int, dtype: str) -> None:
    shapes = [[2, 3, 5], [2, 3, 5], [2, 3, 5]]
    for shape, size in zip(shapes, (4, 0, 3), strict=True):
        shape[axis] = size
    check(Concat(axis=axis), *(drawn(tuple(shape), dtype) for shape in shapes))


def test_a_part_is_overwritten() -> None:
    bounds = [np.array(x) for x in ([4, 1], [0, 3], [-2, 1], [0, 2])]
    check(SliceScatter(), drawn((5, 4, 3), "int64"), drawn((2, 4, 2), "int64") + 100, *bounds, constants=4)


@merged()
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3, 70), (33, 1, 40), (3, 0, 2), (17, 40, 2), (100, 3), (3, 100), (5,), ()])
def test_copies_of_views(shape: tuple[int, ...], dtype: str) -> None:
    wide = drawn(tuple(2 * size + 1 for size in shape), dtype)
    for steps in itertools.product((1, -1, 2), repeat=len(shape)):
        builder = Builder()
        whole = x = placed(builder, wide)
        part = wide
        for axis, (size, step) in enumerate(zip(shape, steps, strict=True)):
            front = (slice(None),) * axis
            x = x[(*front, slice(None, None, step))][(*front, slice(size))]
            part = part[(*front, slice(None, None, step))][(*front, slice(size))]
        target = builder.empty(shape[::-1], x.dtype).T
        emit_copy(builder, x, target)
        (found,) = results(builder, [whole], [wide], [target])
        np.testing.assert_array_equal(found, part)


def test_a_copy_of_many_axes() -> None:
    builder, values = Builder(), drawn((2,) * 10, "float32")
    x = placed(builder, values)
    target = emit_copy(builder, x.T, builder.empty(x.shape))
    (found,) = results(builder, [x], [values], [target])
    np.testing.assert_array_equal(found, values.T)


GATHERS: dict[str, tuple[Op, tuple[int, ...], Any, int]] = {
    "rows": (GatherV8(), (9, 5), [[3, -1, 0], [8, -9, 3]], 0),
    "columns": (GatherV8(), (4, 9), [3, -1, 0, 8], 1),
    "middle": (GatherV8(), (2, 9, 7), [[3], [1]], -2),
    "one": (GatherV8(), (2, 9), 3, 1),
    "outside": (GatherV8(), (9, 3), [4, 9, -10, 100], 0),
    "no indices": (GatherV8(), (9, 3), np.zeros((0, 2)), 0),
    "batches": (GatherV8(batch_dims=1), (2, 3, 9, 2), [[1, -2, 3], [0, 8, 9]], 2),
    "batches of elements": (GatherV8(batch_dims=-1), (2, 9), [[1, -2, 3], [0, 8, 9]], 1),
    "not from the end": (GatherV7(), (9, 3), [4, -1], 0),
    "shapes from the end": (GatherV1(), (9,), [4, -1], 0),
}


@merged()
@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", GATHERS)
def test_gather(name: str, order: str, dtype: str, kind: str) -> None:
    op, shape, indices, axis = GATHERS[name]
    check(op, drawn(shape, dtype, order), np.array(indices, kind), np.array(axis), constants=1)


@merged()
@pytest.mark.parametrize("index", [0, 3, 8, -1, -9, 9, -10])
@pytest.mark.parametrize("axis", [0, 1])
def test_gather_of_one_constant_index(index: int, axis: int) -> None:
    data = drawn((9, 9), "float32") + 1
    check(GatherV8(), data, np.array([index]), np.array(axis), constants=2)


def test_rows_of_a_large_table() -> None:
    table, indices = drawn((1000, 96), "float32"), np.random.default_rng(0).integers(-1000, 1000, (7, 130))
    check(GatherV8(), table, indices, np.array(0), constants=1)


@merged()
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_gather_elements(axis: int, dtype: str) -> None:
    shape = [3, 4, 5]
    data = drawn((3, 4, 5), dtype, "F")
    shape[axis] = 6
    indices = np.random.default_rng(1).integers(-shape[axis] + 4, 3, shape)
    check(GatherElements(axis=axis), data, indices)


@merged()
@pytest.mark.parametrize("dtype", WIDTHS)
def test_gather_tuples(dtype: str) -> None:
    data = drawn((2, 3, 4, 5), dtype)
    check(GatherNDV8(), data, np.array([[[0, 1], [1, -3]]]))
    check(GatherNDV8(batch_dims=1), data, np.array([[[0, 1]], [[2, -1]]], np.int32))
    check(GatherNDV5(batch_dims=2), data, np.array([[[[0, 1]]] * 3, [[[2, -1]]] * 3]))


@pytest.mark.parametrize("op", [GatherElements(axis=0), GatherNDV8()])
def test_an_index_outside_is_noted(op: Op) -> None:
    builder = Builder()
    data, indices = placed(builder, drawn((3, 2), "float32")), placed(builder, np.array([[0, 3], [1, 0]]))
    assert lowering_of(type(op)).function(op, builder, data, indices) is not None
    calls = [item for item in builder.items if isinstance(item, Call)]
    flags = [access for call in calls for access in call.accesses if access.address == builder.failure]
    assert [access.mode for access in flags] == ["write"]


TYPES = [each.name for each in KINDS]
SCATTERS = dict.fromkeys(TYPES, ("none", "sum", "prod", "min", "max")) | dict.fromkeys(("bool", "float16"), ("none",))


@merged()
@pytest.mark.parametrize(("dtype", "reduction"), [(x, y) for x, each in SCATTERS.items() for y in each])
def test_scatter_elements(dtype: str, reduction: str) -> None:
    random = np.random.default_rng(0)
    data, updates = (random.integers(0, 99, shape).astype(dtype) for shape in ((4, 5, 6), (3, 5, 7)))
    op = ScatterElementsUpdateV12(reduction=reduction)
    check(op, data, random.integers(-6, 6, (3, 5, 7)), updates, np.array(-1), constants=1)


@merged()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", ["none", "sum", "sub", "prod", "min", "max"])
def test_scatter_tuples(dtype: str, reduction: str) -> None:
    random = np.random.default_rng(0)
    data, updates = (random.integers(0, 99, shape).astype(dtype) for shape in ((4, 5, 6, 3), (2, 9, 6, 3)))
    indices = random.integers(-4, 4, (2, 9, 2))
    if dtype == "float32":
        data[tuple(indices[1, 0])], updates[0, 3] = np.nan, np.nan
    check(ScatterNDUpdateV15(reduction=reduction), data, indices, updates)
    if reduction == "none":
        check(ScatterNDUpdateV4(), data, indices, updates)


@merged()
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scatter_slices(axis: int, dtype: str) -> None:
    shape = [4, 5, 40]
    data = drawn((4, 5, 40), dtype, "F")
    shape[axis : axis + 1] = [2, 2]
    indices = np.array([[1, 0], [3, -1]], np.int32)
    check(ScatterUpdate(), data, indices, drawn(tuple(shape), dtype) + 1, np.array([axis]), constants=1)


def test_a_large_scatter_is_shared() -> None:
    random = np.random.default_rng(0)
    data, updates = random.standard_normal((300, 256), np.float32), random.standard_normal((500, 256), np.float32)
    for reduction in ("none", "sum"):
        op = ScatterNDUpdateV15(reduction=reduction)
        check(op, data, random.integers(0, 300, (500, 1)), updates)


@merged()
@pytest.mark.parametrize("dtype", ["bool", "float32", "int64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_hot(axis: int, dtype: str) -> None:
    indices = np.array([[0, 3, -1], [2, 9, -4]])
    values = np.array(1, dtype), np.array(0, dtype)
    check(OneHotV1(axis=axis), indices, np.array(4), *values, constants=3)
    check(OneHotV16(axis=axis, negative_indices_mode="normalize"), indices, np.array(4), *values, constants=3)
