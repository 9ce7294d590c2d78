"""Inference from inputs that are known in part, and runs with inputs that inference could not judge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.ops.registry import resolve
from irrun.tensor import DYNAMIC, Array, Dim, Fact, Shape
from irrun.tensor.element_type import F32, I64, STRING
from tests.cases import f32, i64

ANY_RANK = Fact(F32, Shape(None))


def facts(*shapes: list[int | Dim] | Array) -> list[Fact]:
    """Return facts of f32 with these shapes, and of integers with these values."""
    return [Fact.of(I64, item) if isinstance(item, np.ndarray) else Fact(F32, Shape(item)) for item in shapes]


def sizes(*values: int | Dim) -> Fact:
    """Return an integer tensor of sizes."""
    array = np.empty(len(values), object)
    array[:] = values
    return Fact(I64, Shape([len(values)]), array)


DIMS = Fact(I64, Shape([2]))
PLAIN = {"strides": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0), "dilations": (1, 1)}
LINE = {"strides": (1,), "pads_begin": (0,), "pads_end": (0,), "dilations": (1,)}
CUT = {**LINE, "strides": (2,), "pads_begin": (1,), "output_padding": (1,)}
FRAMES = {"transpose_frames": False}
ANY_LIST = Fact(I64, Shape(None))
BAGS = Fact(I64, Shape([Dim(2, 4), 2]))
MASKS = {"begin_mask": (0,), "end_mask": (0,)}


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "inputs", "shape"),
    [
        ("Reshape", 1, {"special_zero": True}, [*facts([5, 3]), sizes(Dim(0, 4), 3)], "[1..5,3]"),
        ("Reshape", 1, {"special_zero": True}, [*facts([Dim(2, 6), 3]), sizes(Dim(0, 4), 3)], "[1..6,3]"),
        ("Reshape", 1, {"special_zero": False}, [ANY_RANK, sizes(Dim(0, 4), -1)], "[0..4,?]"),
        ("StridedSlice", 1, MASKS, [*facts([7, 3]), *[Fact(I64, Shape([1]))] * 3], "[0..7,3]"),
        ("SearchSorted", 15, {}, [*facts([2, 9]), ANY_RANK], "[2,?]"),
        ("Convolution", 1, PLAIN, [ANY_RANK, ANY_RANK], "[?,?,1..,1..]"),
        ("Unsqueeze", 1, {}, [*facts([2, 3]), Fact.of(I64, np.array([0, -4]))], "[1,2,3]"),
        ("Unsqueeze", 1, {}, [*facts([2, 3]), Fact.of(I64, np.array([1, -3]))], "[2,1,3]"),
        ("Unsqueeze", 1, {}, [*facts([]), Fact.of(I64, np.array([1, -1]))], "[1]"),
        ("Convolution", 1, LINE, facts([1, 1, Dim(4, 10)], [1, 1, Dim(0, 5)]), "[1,1,1..10]"),
        ("ConvolutionBackpropData", 1, CUT, facts([1, 1, Dim(0, 6)], [1, 2, 2]), "[1,2,2..12]"),
        ("ConvolutionBackpropData", 1, CUT, facts([1, 1, Dim(0, 6)], [1, 2, Dim(2, 3)]), "[1,2,1..13]"),
        ("STFT", 15, FRAMES, facts([Dim()], [2], np.array(3), np.array(1)), "[1..,2,2]"),
        ("STFT", 15, FRAMES, [*facts([Dim(2, 9)], [2]), *[Fact(I64, Shape([]))] * 2], "[1..8,2..5,2]"),
        ("ReorgYolo", 2, {"stride": 2}, facts([1, 4, Dim(1, 7), 4]), "[1,16,1..3,2]"),
        ("NV12toBGR", 8, {}, facts([1, Dim(1, 8), 2, 1]), "[1,2..4,2,3]"),
        ("I420toRGB", 8, {}, facts([1, Dim(4, 11), 2, 1]), "[1,4..6,2,3]"),
        ("RGBtoNV12", 17, {}, facts([1, Dim(1, 7), 2, 3]), "[1,3..9,2,1]"),
        ("FakeConvert", 13, {"destination_type": "f8e5m2"}, facts([Dim(), Dim()], [2]), "[?,2]"),
        ("EmbeddingBagPacked", 15, {}, [*facts([5, 2]), BAGS, *facts([Dim(3, 7), 2])], "[3..4,2]"),
        ("EmbeddingBagPackedSum", 3, {}, [*facts([5, 2]), BAGS, *facts([3, 2])], "[3,2]"),
        ("SpaceToBatch", 2, {}, [*facts([Dim(0, 4), 3], np.array([1, 2])), *[ANY_LIST] * 2], "[0..8,2..]"),
        ("BatchToSpace", 2, {}, [*facts([Dim(0, 4), 3], np.array([1, 2])), *[ANY_LIST] * 2], "[0..2,0..6]"),
    ],
)
def test_shapes(type: str, opset: int, attributes: dict[str, Any], inputs: list[Fact], shape: str) -> None:
    (fact,) = infer(resolve(type, f"opset{opset}")(**attributes), inputs)
    assert str(fact.shape) == shape


def test_a_promoted_type_is_known_where_both_are() -> None:
    op = resolve("ConvertPromoteTypes", "opset14")()
    assert [fact.type for fact in infer(op, [Fact(F32, Shape([2])), Fact(DYNAMIC, Shape([2]))])] == [DYNAMIC] * 2


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "arrays", "message"),
    [
        (
            *("Add", 1, {"auto_broadcast": "none"}, [f32([1, 2]), f32([1])]),
            "shapes [2] and [1] differ, and auto_broadcast is none",
        ),
        (
            *("Reshape", 1, {"special_zero": False}, [f32([1, 2, 3]), i64([2])]),
            "shape [2] does not fit data [3] of 3 elements",
        ),
        (
            *("Range", 4, {"output_type": I64}, [f32(0), f32(np.inf), f32(1)]),
            "stop is inf, expected a finite number",
        ),
        (
            *("Range", 4, {"output_type": I64}, [i64(0), i64(2**62), i64(1)]),
            f"{2**62} elements from 0 to {2**62} in steps of 1 take 2^63 bytes or more",
        ),
        (
            *("Slice", 8, {}, [f32([1, 2]), i64([0]), i64([2]), i64([0])]),
            "step is 0, expected a positive or negative number",
        ),
        (
            *("StridedSlice", 1, MASKS, [f32([1, 2]), i64([0]), i64([2]), i64([0])]),
            "stride is 0, expected a positive or negative number",
        ),
        ("ReduceSum", 1, {"keep_dims": False}, [f32([1, 2]), i64([1])], "axis 1 is outside a tensor of rank 1"),
        (
            *("TopK", 11, {"axis": 0, "mode": "max", "sort": "value"}, [f32([1, 2]), i64(3)]),
            "k is 3, expected 0 to 2, the size of axis 0",
        ),
        ("Broadcast", 3, {}, [f32([1, 2]), i64([3])], "data [2] do not broadcast to [3]"),
    ],
)
def test_runs_that_cannot_be(
    type: str, opset: int, attributes: dict[str, Any], arrays: list[Array], message: str
) -> None:
    assert refusal(type, opset, attributes, arrays) == message


def refusal(type: str, opset: int, attributes: dict[str, Any], arrays: list[Array]) -> str:
    """Return the message of a kernel that refuses its inputs."""
    op = resolve(type, f"opset{opset}")(**attributes)
    with pytest.raises(OpError) as caught:
        run(op, arrays, [F32] * len(op.outputs))
    return caught.value.message


@pytest.mark.parametrize(
    ("type", "opset", "inputs"),
    [
        ("ScatterElementsUpdate", 12, [Fact(STRING, Shape([3])), *facts(np.array([0])), Fact(STRING, Shape([1]))]),
        ("ScatterNDUpdate", 15, [Fact(STRING, Shape([3])), *facts(np.array([[0]])), Fact(STRING, Shape([1]))]),
    ],
)
def test_strings_are_not_added(type: str, opset: int, inputs: list[Fact]) -> None:
    axis = facts(np.array(0)) if type == "ScatterElementsUpdate" else []
    with pytest.raises(OpError, match="reduction is sum, which strings do not have"):
        infer(resolve(type, f"opset{opset}")(reduction="sum"), [*inputs, *axis])


def test_indices_of_no_axes_update_everything() -> None:
    op = resolve("ScatterNDUpdate", "opset15")(reduction="sum")
    updates = f32([[1, 2, 3], [10, 20, 30]])
    (result,) = run(op, [f32([100, 100, 100]), np.zeros((2, 0), np.int64), updates], [F32])
    np.testing.assert_array_equal(result, f32([111, 122, 133]))


def test_a_sequence_reversed_along_its_batch_axis_stays() -> None:
    op = resolve("ReverseSequence", "opset1")(batch_axis=0, seq_axis=0)
    (result,) = run(op, [f32([[1, 2], [3, 4]]), i64([1, 2])], [F32])
    np.testing.assert_array_equal(result, f32([[1, 2], [3, 4]]))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"element_type": DYNAMIC, "shape": Shape([1])}, "a constant of type dynamic has no values"),
        ({"element_type": F32, "shape": Shape([Dim()])}, "the shape [?] of a constant is not static"),
        ({"element_type": F32, "shape": Shape([3])}, "size is 8 bytes, expected 12 for f32[3]"),
    ],
)
def test_constants(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(OpError) as caught:
        resolve("Const", "opset1")(offset=0, size=8, **attributes)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (Fact(I64, Shape([2])), "input 0 (init_value) is i64, expected f32"),
        (Fact(F32, Shape([3])), "input 0 (init_value) has shape [3], expected one that [2] covers"),
    ],
)
def test_the_initial_value_of_a_variable(init: Fact, message: str) -> None:
    op = resolve("ReadValue", "opset6")(variable_id="v", variable_type=F32, variable_shape=Shape([2]))
    with pytest.raises(OpError) as caught:
        infer(op, [init])
    assert (caught.value.message, caught.value.input) == (message, 0)


def bound(low: int, high: int) -> Fact:
    return sizes(Dim(low, high))


def at(value: int) -> Fact:
    return Fact.of(I64, np.array([value]))


@pytest.mark.parametrize(
    ("size", "start", "stop", "step", "shape"),
    [
        (10, bound(0, 2), at(8), 1, "[6..8]"),
        (10, at(0), bound(3, 5), 2, "[2..3]"),
        (10, bound(-3, -1), at(10), 1, "[1..3]"),
        (10, at(-1), bound(2, 4), -1, "[5..7]"),
        (10, bound(4, 6), at(-11), -2, "[3..4]"),
        (10, bound(-2, 2), at(10), 1, "[1..10]"),
        (10, at(0), bound(-5, 5), 1, "[0..9]"),
        (10, bound(0, 3), bound(5, 12), 3, "[1..4]"),
        (Dim(4, 9), at(1), at(-1), 1, "[2..7]"),
        (Dim(4, 9), at(-3), at(100), 1, "[3]"),
        (Dim(4, 9), at(2), bound(3, 6), 1, "[1..4]"),
        (Dim(4, 9), at(-1), at(-100), -1, "[4..9]"),
        (Dim(4, 9), bound(5, 7), at(-100), -1, "[4..8]"),
        (Dim(), bound(0, 3), at(100), 1, "[0..100]"),
    ],
)
def test_slices_between_open_bounds(size: int | Dim, start: Fact, stop: Fact, step: int, shape: str) -> None:
    (fact,) = infer(resolve("Slice", "opset8")(), [*facts([size]), start, stop, at(step), at(0)])
    assert str(fact.shape) == shape


def test_a_slice_by_an_open_step() -> None:
    (fact,) = infer(resolve("Slice", "opset8")(), [*facts([10]), at(0), at(10), bound(1, 3), at(0)])
    assert str(fact.shape) == "[0..10]"


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "arrays", "message"),
    [
        ("EmbeddingBagPackedSum", 3, {}, [f32([[1], [2]]), i64([[0, 2]])], "index 2 is outside a table of 2 rows"),
        ("EmbeddingBagPackedSum", 3, {}, [f32([[1], [2]]), i64([[0, -1]])], "index -1 is outside a table of 2 rows"),
        (
            *("EmbeddingBagOffsetsSum", 3, {}, [f32([[1], [2]]), i64([0]), i64([0]), i64(5)]),
            "default_index 5 is outside a table of 2 rows",
        ),
        (
            *("SparseFillEmptyRows", 16, {}, [f32([1]), i64([2, 3]), i64([[2, 0]]), f32(0)]),
            "indices are outside a matrix of 2 rows",
        ),
        ("SliceScatter", 15, {}, [f32([1, 2]), f32([1, 2]), i64([0]), i64([1]), i64([1])], "updates"),
        ("StringTensorPack", 15, {}, [i64([0]), i64([9]), np.zeros(3, np.uint8)], "a string from 0 to 9 is outside 3"),
    ],
)
def test_values_that_are_outside(
    type: str, opset: int, attributes: dict[str, Any], arrays: list[Array], message: str
) -> None:
    assert refusal(type, opset, attributes, arrays).startswith(message)
