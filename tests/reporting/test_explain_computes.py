"""What the explanation of a layer says of its attributes, types and values is what the operation computes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from irrun.document.writer import WrittenBody
from irrun.model import build, load
from irrun.model.layers import places_of
from irrun.ops.calling import run
from irrun.reporting.explain.explanation import Explanation, explained
from irrun.tensor import Array
from irrun.tensor.element_type import F32
from tests.cases import all_cases
from tests.nets import Net
from tests.ops.harness import constants
from tests.ops.harness import model as case_model

Arrays = list[npt.NDArray[Any]]

X = np.array([[-2.0, -0.5, 0.0], [0.25, 1.0, 3.0]], np.float32)
WHOLE = np.array([[-7, -2, 0], [1, 5, 9]], np.int32)
IMAGE = np.arange(2 * 36, dtype=np.float32).reshape(1, 2, 6, 6) - 30
RANDOM = np.random.default_rng(5)


class Told(NamedTuple):
    """An operation on arrays, a sentence of its explanation, and the formula that the sentence states."""

    type: str
    opset: int
    attributes: dict[str, Any]
    arrays: Arrays
    sentence: str
    formula: Callable[..., Any]

    def __str__(self) -> str:
        shown = ",".join(f"{key}={value}" for key, value in self.attributes.items())
        return f"{self.type}-{self.opset} {self.arrays[0].dtype} {shown}"


def described(told: Told, folder: Path) -> tuple[Explanation, tuple[Array, ...]]:
    """Return the explanation of the layer in a model, and its outputs."""
    net = Net()
    kinds = {"f4": "f32", "f8": "f64", "f2": "f16", "i4": "i32", "i8": "i64", "u1": "u8", "i1": "i8", "b1": "boolean"}
    first = told.arrays[0]
    inputs = [net.parameter("x", ",".join(map(str, first.shape)), kinds[first.dtype.str[1:]])]
    inputs += [net.constant(array, kinds[array.dtype.str[1:]]) for array in told.arrays[1:]]
    outputs = {"TopK": 2, "VariadicSplit": 2}.get(told.type, 1)
    net.result(*net.layers(told.type, inputs, outputs, opset=told.opset, name="it", **told.attributes))
    model = load(net.save(folder / "net.xml"))
    place = next(place for place in places_of(model) if place.node.name == "it")
    assert place.node.op is not None
    types = [model.facts[outlet].type for outlet in model.facts.outlets(place.node.id)]
    return explained(model, place), run(place.node.op, told.arrays, types)


def softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def elementwise() -> list[Told]:
    erf = np.vectorize(math.erf)
    return [
        Told("Gelu", 7, {"approximation_mode": "erf"}, [X],
             "Each element x becomes x times the normal distribution function of x.",
             lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)))),
        Told("Gelu", 7, {"approximation_mode": "tanh"}, [X], "of x. Approximated by tanh.",
             lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        Told("Swish", 4, {}, [X], "Each element x becomes x / (1 + exp(-x)).", lambda x: x / (1 + np.exp(-x))),
        Told("Swish", 4, {}, [X, np.float32(1.5)], "x / (1 + exp(-1.5 * x))",
             lambda x, _: x / (1 + np.exp(-1.5 * x))),
        Told("Swish", 4, {}, [X, np.float32(-2)], "x / (1 + exp(-(-2 * x)))",
             lambda x, _: x / (1 + np.exp(-(-2 * x)))),
        Told("Elu", 1, {"alpha": 0.5}, [X], "Elements below 0 become 0.5 * (exp(x) - 1)",
             lambda x: np.where(x < 0, 0.5 * (np.exp(x) - 1), x)),
        Told("Elu", 1, {"alpha": 4.0}, [WHOLE], "Elements below 0 become 4 * (exp(x) - 1), rounded to nearest",
             lambda x: np.where(x < 0, np.rint(4 * (np.exp(x) - 1)), x)),
        Told("PReLU", 1, {}, [X, np.float32([0.5, 2, 3])], "multiplied by their slope, of [3]; others do not change.",
             lambda x, s: np.where(x < 0, x * s, x)),
        Told("Clamp", 1, {"min": -0.5, "max": 1.0}, [X], "limited to the range from -0.5 to 1.",
             lambda x: np.clip(x, -0.5, 1)),
        Told("Clamp", 1, {"min": -2.5, "max": 4.5}, [WHOLE], "limited to the range from -2 to 4.",
             lambda x: np.clip(x, -2, 4)),
        Told("HSwish", 4, {}, [X], "x * min(max(x + 3, 0), 6) / 6", lambda x: x * np.clip(x + 3, 0, 6) / 6),
        Told("Mish", 4, {}, [X], "x * tanh(log(1 + exp(x)))", lambda x: x * np.tanh(np.log(1 + np.exp(x)))),
        Told("SoftPlus", 4, {}, [X], "becomes log(1 + exp(x)).", lambda x: np.log(1 + np.exp(x))),
        Told("Sigmoid", 1, {}, [X], "becomes 1 / (1 + exp(-x)).", lambda x: 1 / (1 + np.exp(-x))),
        Told("Log", 1, {}, [np.array([1, 5, 20], np.int32)], "the natural logarithm of x, truncated.",
             lambda x: np.trunc(np.log(x))),
        Told("Cos", 1, {}, [WHOLE], "becomes cos(x), rounded to nearest.", lambda x: np.rint(np.cos(x))),
        Told("Floor", 1, {}, [X], "x rounded down.", np.floor),
        Told("Floor", 1, {}, [WHOLE], "becomes itself, as an integer.", lambda x: x),
        Told("Convert", 1, {"destination_type": "i32"}, [X], "from f32 to i32, truncated toward zero.", np.trunc),
        Told("Convert", 1, {"destination_type": "boolean"}, [X], "from f32 to boolean, false for 0 and NaN.",
             lambda x: x != 0),
        Told("Convert", 1, {"destination_type": "i8"}, [WHOLE * 100], "from i32 to i8, modulo 2^8.",
             lambda x: (x + 128) % 256 - 128),
        Told("Convert", 1, {"destination_type": "f32"}, [WHOLE], "from i32 to f32.", lambda x: x),
        Told("SoftMax", 8, {"axis": -2}, [X], "along axis 0, which has 2 elements. The elements along",
             lambda x: softmax(x, 0)),
        Told("SoftMax", 1, {"axis": 1}, [X], "along axis 1, which has 3 elements.", softmax),
        Told("SoftMax", 8, {"axis": 1}, [WHOLE], "which has 3 elements, rounded to nearest.",
             lambda x: np.rint(softmax(x.astype(float)))),
        Told("LogSoftmax", 5, {"axis": 1}, [X], "becomes the logarithm of exp(x) divided by the sum",
             lambda x: np.log(softmax(x))),
    ]  # fmt: skip


def of_two() -> list[Told]:
    a, b = np.array([[-7, 7, 9]], np.int32), np.array([[2, 2, -4]], np.int32)
    planes = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    rows = np.float32([1, 10, 100])
    return [
        Told("Divide", 1, {}, [X, X + 5], "Each element is a / b.", lambda a, b: a / b),
        Told("Divide", 1, {"m_pythondiv": True}, [a, b], "a / b, rounded down.", lambda a, b: a // b),
        Told("Divide", 1, {"m_pythondiv": False}, [a, b], "a / b, rounded toward zero.",
             lambda a, b: np.trunc(a / b)),
        Told("Mod", 1, {}, [a, b], "the remainder of a / b with the sign of a.", np.fmod),
        Told("FloorMod", 1, {}, [a, b], "the remainder of a / b with the sign of b.", np.mod),
        Told("Power", 1, {}, [np.array([2, 3], np.int32), np.array([3, -1], np.int32)],
             "a to the power of b, truncated.", lambda a, b: np.trunc(a.astype(float) ** b)),
        Told("SquaredDifference", 1, {}, [X, X[:1]], "(a - b) squared.", lambda a, b: (a - b) ** 2),
        Told("Add", 1, {"auto_broadcast": "pdpd", "auto_broadcast__auto_broadcast_axis": 1}, [planes, rows],
             "Each element is a + b.", lambda a, b: a + b[:, None]),
        Told("Select", 1, {}, [X > 0, X, -X], "that of `then` where the condition is true",
             lambda c, t, e: np.where(c, t, e)),
    ]  # fmt: skip


def reduced() -> list[Told]:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    return [
        Told("ReduceMean", 1, {"keep_dims": False}, [values, np.array([-1, 0])],
             "The mean along axes 0 and 2, 2 * 4 elements each.", lambda x, _: x.mean(axis=(0, 2))),
        Told("ReduceMean", 1, {"keep_dims": True}, [WHOLE, np.array([1])],
             "The mean along axis 1, 3 elements each, truncated toward zero.",
             lambda x, _: np.trunc(x.mean(axis=1, keepdims=True))),
        Told("ReduceL2", 4, {"keep_dims": False}, [values, np.array(1)], "The root of the sum of squares along axis 1",
             lambda x, _: np.sqrt((x**2).sum(axis=1))),
        Told("ReduceL1", 4, {"keep_dims": False}, [X, np.array([0])], "The sum of magnitudes along axis 0",
             lambda x, _: np.abs(x).sum(axis=0)),
        Told("ReduceSum", 1, {"keep_dims": False}, [X, np.array([], np.int64)],
             "There are no axes: each element stays as it is.", lambda x, _: x),
        Told("MVN", 6, {"normalize_variance": True, "eps": 0.5, "eps_mode": "inside_sqrt"}, [X, np.array([1])],
             "Subtract the mean along axis 1, then divide by the standard deviation (eps 0.5 is added to the "
             "variance).",
             lambda x, _: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 0.5)),
        Told("MVN", 6, {"normalize_variance": True, "eps": 0.5, "eps_mode": "outside_sqrt"}, [X, np.array([1])],
             "(eps 0.5 is added to the standard deviation).",
             lambda x, _: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 0.5)),
        Told("MVN", 6, {"normalize_variance": False, "eps": 0.5, "eps_mode": "inside_sqrt"}, [X, np.array([0, 1])],
             "Subtract the mean along axes 0 and 1.", lambda x, _: x - x.mean()),
        Told("MVN", 2, {"across_channels": True, "normalize_variance": False, "eps": 0.0}, [values],
             "Subtract the mean along axes 1 and 2.", lambda x: x - x.mean((1, 2), keepdims=True)),
        Told("MVN", 2, {"across_channels": False, "normalize_variance": False, "eps": 0.0}, [values],
             "Subtract the mean along axis 2.", lambda x: x - x.mean(2, keepdims=True)),
        Told("TopK", 11, {"axis": -1, "mode": "min", "sort": "value"}, [X, np.array(2)],
             "The 2 least elements along axis 1, by value; output 1 has their indices.",
             lambda x, _: (np.sort(x, 1)[:, :2], np.argsort(x, 1)[:, :2])),
        Told("TopK", 11, {"axis": 0, "mode": "max", "sort": "index"}, [np.array([4, 9, 7], np.int32), np.array(2)],
             "The 2 greatest elements along axis 0, by index", lambda *_: (np.array([9, 7]), np.array([1, 2]))),
    ]  # fmt: skip


def moved() -> list[Told]:
    rows = np.arange(10, dtype=np.float32)
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    one, far = np.array([1]), 2**31 - 1
    masks = {"begin_mask": "0", "end_mask": "0"}
    return [
        Told("Slice", 8, {}, [rows, np.array([-100]), np.array([-100]), -one],
             "in Python's notation: axis 0: 0:-100:-1.",
             lambda x, *_: x[0:-100:-1]),
        Told("Slice", 8, {}, [rows, np.array([8]), np.array([-far]), np.array([-3])], "axis 0: 8::-3.",
             lambda x, *_: x[8::-3]),
        Told("Slice", 8, {}, [rows, np.array([0]), np.array([far]), one], "Take all of the input.", lambda x, *_: x),
        Told("Slice", 8, {}, [cube, one, np.array([-1]), one, np.array([-1])], "axis 2: 1:-1.",
             lambda x, *_: x[..., 1:-1]),
        Told("StridedSlice", 1, masks, [rows, np.array([2]), np.array([9]), np.array([3])], "axis 0: 2:9:3.",
             lambda x, *_: x[2:9:3]),
        Told("StridedSlice", 1, {"begin_mask": "1", "end_mask": "0"}, [rows, np.array([2]), np.array([4]), one],
             "axis 0: 0:4.", lambda x, *_: x[0:4]),
        Told("StridedSlice", 1, {"begin_mask": "1", "end_mask": "1"}, [rows, np.array([2]), np.array([4]), -one],
             "axis 0: ::-1.", lambda x, *_: x[::-1]),
        Told("StridedSlice", 1,
             {"begin_mask": "0,0,0", "end_mask": "0,0,0", "new_axis_mask": "1,0,0", "ellipsis_mask": "0,1,0"},
             [cube, np.array([0, 0, 1]), np.array([0, 0, 3]), np.array([1, 1, 1])],
             "a new axis of size 1; axis 2: 1:3.", lambda x, *_: x[None, ..., 1:3]),
        Told("StridedSlice", 1,
             {"begin_mask": "0,1,0", "end_mask": "0,1,0", "shrink_axis_mask": "1,0,0"},
             [cube, np.array([-1, 0, 1]), np.array([0, 0, 4]), np.array([1, 1, 2])],
             "axis 0: -1, and the axis is dropped; axis 2: 1:4:2.", lambda x, *_: x[-1, :, 1:4:2]),
        Told("Gather", 8, {"batch_dims": 1}, [cube, np.array([[2], [0]]), np.array(1)],
             "Along axis 0, each part of data has indices of its own.",
             lambda x, *_: np.stack([x[0, [2]], x[1, [0]]])),
        Told("Gather", 8, {"batch_dims": 0}, [cube, np.array(-1), np.array(-1)],
             "Take the slices of data at the index -1 along axis 2, which has 4 slices.", lambda x, *_: x[..., -1]),
        Told("Pad", 12, {"pad_mode": "constant"}, [X, np.array([1, 0]), np.array([0, -1]), np.float32(7)],
             "7. Negative numbers of elements are taken away.",
             lambda x, *_: np.pad(x, ((1, 0), (0, 0)), constant_values=7)[:, :-1]),
        Told("Pad", 12, {"pad_mode": "constant"}, [X, np.array([1, 0]), np.array([0, 0])],
             "before and after the axes: 0.", lambda x, *_: np.pad(x, ((1, 0), (0, 0)))),
        Told("Pad", 12, {"pad_mode": "edge"}, [X, np.array([0, 2]), np.array([0, 0])], "copies of the edge.",
             lambda x, *_: np.pad(x, ((0, 0), (2, 0)), "edge")),
        Told("Pad", 12, {"pad_mode": "reflect"}, [X, np.array([0, 2]), np.array([0, 0])], "without the edge.",
             lambda x, *_: np.pad(x, ((0, 0), (2, 0)), "reflect")),
        Told("Pad", 12, {"pad_mode": "symmetric"}, [X, np.array([0, 2]), np.array([0, 0])], "with the edge.",
             lambda x, *_: np.pad(x, ((0, 0), (2, 0)), "symmetric")),
        Told("Squeeze", 1, {}, [cube[:1, :, :1], np.array([0, 1])], "Drop axis 0, of size 1", lambda x, *_: x[0]),
        Told("Squeeze", 1, {}, [cube[:1, :, :1]], "Drop axes 0 and 2, of size 1", lambda x, *_: x[0, :, 0]),
        Told("Broadcast", 3, {"mode": "explicit"}, [rows[:2], np.array([2, 3]), np.array([0])],
             "until it has the shape [2,3], its axes being axis 0.", lambda x, *_: np.repeat(x[:, None], 3, 1)),
        Told("Broadcast", 3, {"mode": "numpy"}, [rows[:3], np.array([2, 3])], "its axes being the last 1.",
             lambda x, *_: np.stack([x, x])),
        Told("Broadcast", 3, {"mode": "bidirectional"}, [X, np.array([2, 1, 1])],
             "shape [2,2,3], its axes being the last 2.",
             lambda x, *_: np.stack([x, x])),
        Told("Transpose", 1, {}, [cube, np.array([2, 0, 1])], "The axes in the order 2, 0 and 1.",
             lambda x, _: x.transpose(2, 0, 1)),
        Told("Transpose", 1, {}, [cube, np.array([], np.int64)], "The axes in the order 2, 1 and 0.", lambda x, _: x.T),
        Told("Unsqueeze", 1, {}, [X, np.array([-1, 0])], "Insert axes 0 and 3, of size 1",
             lambda x, _: x[None, ..., None]),
        Told("ShapeOf", 3, {"output_type": "i64"}, [cube], "The shape of the input as numbers: [2,3,4].",
             lambda x: list(x.shape)),
        Told("VariadicSplit", 1, {}, [cube, np.array(-1), np.array([1, -1])],
             "Cut the input into 2 parts along axis 2.",
             lambda x, *_: (x[..., :1], x[..., 1:])),
        Told("Concat", 1, {"axis": -1}, [X, X], "Join 2 tensors along axis 1.", lambda a, b: np.concatenate([a, b], 1)),
        Told("Reshape", 1, {"special_zero": "true"}, [cube, np.array([0, -1])],
             "The same elements in the same order, as [2,12] in place of [2,3,4].", lambda x, _: x.reshape(2, 12)),
        Told("Tile", 1, {}, [X, np.array([2, 1])], "Repeat the input 2x1 times.", lambda x, _: np.tile(x, (2, 1))),
        Told("Interpolate", 4,
             {"mode": "nearest", "shape_calculation_mode": "sizes", "coordinate_transformation_mode": "asymmetric",
              "nearest_mode": "floor", "antialias": False, "pads_begin": "0", "pads_end": "0", "cube_coeff": "-0.75"},
             [X, np.array([4]), np.float32([2]), np.array([0])],
             "Resize axis 0 by the method nearest. Coordinates are mapped by asymmetric. "
             "They are rounded to an element by floor.", lambda x, *_: np.repeat(x, 2, 0)),
    ]  # fmt: skip


def generated() -> list[Told]:
    def numbers(*values: float) -> Arrays:
        return [np.array(value, np.float32) for value in values]

    return [
        Told("Range", 4, {"output_type": "f32"}, numbers(5, -1, -2.5), "The numbers from", lambda *_: [5, 2.5, 0]),
        Told("Range", 4, {"output_type": "i32"}, numbers(1.9, 5.9, 1.5), "The inputs are truncated first, since the",
             lambda *_: [1, 2, 3, 4]),
    ]  # fmt: skip


def attended() -> list[Told]:
    q, k, v = (RANDOM.normal(size=(1, *shape)).astype("f4") for shape in ((3, 4), (5, 4), (5, 2)))
    mask = np.array([[True, False, True, True, False]] * 3)[None]
    shift = np.where(mask, 0, -2).astype("f4")
    scores = q @ k.swapaxes(1, 2)
    triangle = np.where(np.tri(3, 5, dtype=bool), 0, -np.inf)[None]
    no = {"causal": False}
    return [
        Told("ScaledDotProductAttention", 13, no, [q, k, v],
             "A score is the product of a query and a key, divided by the root of 4.",
             lambda _q, _k, v: softmax(scores / 2) @ v),
        Told("ScaledDotProductAttention", 13, no, [q, k, v, mask],
             "A mask of [1,3,5] is true where a query sees a key; other keys have no weight.",
             lambda _q, _k, v, m: softmax(np.where(m, scores / 2, -np.inf)) @ v),
        Told("ScaledDotProductAttention", 13, no, [q, k, v, shift], "A mask of [1,3,5] is added to the scores.",
             lambda _q, _k, v, m: softmax(scores / 2 + m) @ v),
        Told("ScaledDotProductAttention", 13, no, [q, k, v, shift, np.float32(0.25)],
             "A score is the product of a query and a key, times 0.25.",
             lambda _q, _k, v, m, _s: softmax(scores * 0.25 + m) @ v),
        Told("ScaledDotProductAttention", 13, {"causal": True}, [q, k, v, shift],
             "Query i sees keys 0 to i only (causal); the mask is ignored.",
             lambda _q, _k, v, _m: softmax(scores / 2 + triangle) @ v),
        Told("ScaledDotProductAttention", 13, no,
             [q, k, v, shift, np.float32(0.5), np.full((1, 3, 1), 0.5, np.float32)],
             "A further score for each query, of [1,3,1], takes part in the softmax, without a value.",
             lambda _q, _k, v, m, s, e: softmax(np.concatenate([scores * s + m, e], -1))[..., :-1] @ v),
    ]  # fmt: skip


def quantized() -> list[Told]:
    low, high = np.float32([[-1], [-2]]), np.float32([[1], [2]])

    def steps(x: Any, low: Any, high: Any, first: Any, last: Any) -> Any:
        places = np.rint((np.clip(x, low, high) - low) / (high - low) * 4)
        return places / 4 * (last - first) + first

    return [
        Told("FakeQuantize", 1, {"levels": 5}, [X, *np.float32([-1, 1, 0, 8])],
             "Clip to the range from -1 to 1, round to 5 evenly spaced levels of it, "
             "and map them to the range from 0 to 8.",
             steps),
        Told("FakeQuantize", 1, {"levels": 5}, [X, low, high, low, high],
             "from 2 limits of -2 to -1 to 2 limits of 1 to 2, round to 5", steps),
        Told("BatchNormInference", 5, {"epsilon": 0.5},
             [X, *np.float32([[1, 2, 3], [4, 5, 6], [0, 1, 2], [1, 4, 9]])],
             "(x - mean) / sqrt(variance + 0.5) * gamma + beta.",
             lambda x, g, b, m, v: (x - m) / np.sqrt(v + 0.5) * g + b),
    ]  # fmt: skip


ALL = [*elementwise(), *of_two(), *reduced(), *moved(), *generated(), *attended(), *quantized()]


@pytest.mark.parametrize("told", ALL, ids=str)
def test_what_is_said_is_what_is_computed(tmp_path: Path, told: Told) -> None:
    found, outputs = described(told, tmp_path)
    assert told.sentence in " ".join(found.computes)
    expected = told.formula(*told.arrays)
    for output, values in zip(outputs, expected if isinstance(expected, tuple) else (expected,), strict=True):
        np.testing.assert_allclose(output, values, rtol=1e-5, atol=1e-6)


def test_windows_of_pooling(tmp_path: Path) -> None:
    """The formula of each axis, computed, is the size; padding is named where it is in the mean."""
    data = {"strides": "2,3", "kernel": "3,2", "rounding_type": "floor", "auto_pad": "explicit", "exclude-pad": "false"}
    seen = set()
    for pads in ("0,0", "1,1"):
        for rounding, opset in (("floor", 1), ("ceil", 1), ("ceil_torch", 14)):
            for excluded in ("true", "false"):
                more = {"pads_begin": pads, "pads_end": pads, "rounding_type": rounding, "exclude-pad": excluded}
                told = Told("AvgPool", opset, {**data, **more}, [IMAGE], "", lambda x: x)
                found, (output,) = described(told, tmp_path)
                for axis in (2, 3):
                    text = next(line for line in found.shapes if line.startswith(f"axis {axis}: "))
                    assert _evaluated(text) == output.shape[axis], text
                    seen.add(text.split("rounded")[-1][:8] if "rounded" in text else "")
                corner = output[0, 0, 0, 0]
                window = IMAGE[0, 0, :3, :2] if pads == "0,0" else IMAGE[0, 0, :2, :1]
                counted = "Padding counts as zeros in the mean." in found.computes
                assert counted == (pads == "1,1" and excluded == "false")
                assert corner == pytest.approx(window.sum() / (6 if counted else window.size))
    assert {" down +", " up + 1"} <= {text[:7] for text in seen}


def _evaluated(text: str) -> int:
    """Return the value of the formula in ``axis 2: (6 + 0 + 0 - 3) / 2 rounded down + 1 = 2``."""
    formula = text.split(": ")[1].split(" = ")[0]
    for word, function in (("rounded down", "math.floor"), ("rounded up", "math.ceil")):
        if word in formula:
            quotient, more = formula.split(f" {word}")
            formula = f"{function}({quotient.rstrip(',')}){more.replace(', or 0', '')}"
    formula = re.sub(r"(\d+) groups of (\d+) filters", r"\1 * \2", formula)
    value: float = eval(formula, {"math": math})
    assert value == int(value), text
    return int(value)


@pytest.mark.sample(5)
@pytest.mark.parametrize("type", sorted({case.type for case in all_cases()}))
def test_sizes_are_those_of_the_output(type: str) -> None:
    """Each formula of an axis, and each shape of the output, is right for all cases of an operation."""
    for case in all_cases():
        if case.type != type:
            continue
        ir, _ = case_model(case, constants=constants(case))
        found = load(ir.text.encode(), ir.weights)
        for place in places_of(found):
            if place.node.type == type:
                for text in (told := explained(found, place)).shapes:
                    _check_sizes(text, told)


_WHOLE = r"(?:^together|^The output has the shape of (?:the input|data|input \d+),|becomes) (\[.*?\])"


def _check_sizes(text: str, told: Explanation) -> None:
    made = told.outputs[0].shape if told.outputs else ""
    whole = re.search(_WHOLE, text)
    if whole is not None:
        assert whole[1] == made, text
    axis = re.match(r"axis (\d+): ([^?]*?) = (\d+)($|,)", text)
    if axis is not None:
        assert _evaluated(text) == int(axis[3]), text
        assert made.strip("[]").split(",")[int(axis[1])] == axis[3], text


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("pads", ["0,0", "1,0"])
@pytest.mark.parametrize("dilation", [1, 2])
def test_sizes_of_convolutions(tmp_path: Path, stride: int, pads: str, dilation: int) -> None:
    weights = np.ones((2, 2, 2, 2), np.float32)
    data = {"strides": f"{stride},{stride}", "pads_begin": pads, "pads_end": pads, "auto_pad": "explicit",
            "dilations": f"{dilation},{dilation}"}  # fmt: skip
    for type in ("Convolution", "ConvolutionBackpropData"):
        told = Told(type, 1, data, [IMAGE, weights], "", lambda x: x)
        found, (output,) = described(told, tmp_path)
        for axis in (2, 3):
            text = next(line for line in found.shapes if line.startswith(f"axis {axis}: "))
            assert _evaluated(text) == output.shape[axis], text


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [[4, 4], [4, 2]])
def test_steps_of_a_sequence(tmp_path: Path, direction: str, lengths: list[int]) -> None:
    count = 2 if direction == "bidirectional" else 1
    arrays = [RANDOM.normal(size=shape).astype("f4") for shape in ((2, 4, 3), (2, count, 5))]
    arrays += [np.array(lengths)]
    arrays += [RANDOM.normal(size=(count, *shape)).astype("f4") for shape in ((15, 3), (15, 5), (15,))]
    told = Told("GRUSequence", 5, {"hidden_size": 5, "direction": direction}, arrays, "", lambda x: x)
    net = Net()
    x = net.parameter("x", "2,4,3")
    net.result(*net.layers(told.type, [x, *map(net.constant, arrays[1:])], 2, opset=5, name="it", **told.attributes))
    model = load(net.save(tmp_path / "net.xml"))
    place = next(place for place in places_of(model) if place.node.name == "it")
    found = explained(model, place)
    assert place.node.op is not None
    every, last = run(place.node.op, arrays, [F32, F32])
    assert f"over 4 steps of 3 numbers, {direction}." in found.computes[0]
    ends = [0 if direction == "reverse" else length - 1 for length in lengths]
    for row, end in enumerate(ends):
        np.testing.assert_allclose(last[row, 0], every[row, 0, end], rtol=1e-5)
    is_cut = lengths != [4, 4]
    text = "A sequence ends after its number of steps in `sequence_lengths`; output 0 is 0 then."
    assert (text in found.computes) == is_cut
    assert not is_cut or not every[1, :, 2:].any()


def test_limits_that_only_a_run_tells(tmp_path: Path) -> None:
    """Nothing is said of axes, steps and masks that are not known."""
    net = Net()
    x = net.parameter("x", "3,4")
    limits = [net.constant([0]), net.constant([2]), net.constant([1])]
    axes = net.parameter("axes", "1", "i64")
    net.result(net.layer("Slice", [x, *limits, axes], opset=8, name="it"))
    step = net.parameter("step", "1", "i64")
    net.result(net.layer("StridedSlice", [x, *limits[:2], step], name="that", begin_mask="0", end_mask="0"))
    model = load(net.save(tmp_path / "net.xml"))
    for place in places_of(model):
        if place.node.name in ("it", "that"):
            assert explained(model, place).shapes[0].endswith("the limits are known at run time")


def test_order_of_iterations(tmp_path: Path) -> None:
    """A stride below 0 takes slices, and joins results, from the end."""
    net = Net()
    body = net.body()
    piece = body.parameter("piece", "1,2")
    body.result(body.layer("Negative", [piece]))
    cut = {"axis": 0, "stride": -1, "part_size": 1, "start": -1, "end": 0}
    written = WrittenBody(
        body.ir,
        [{"external_port_id": 0, "internal_layer_id": 0, **cut}],
        [{"external_port_id": 1, "internal_layer_id": body.ir.last, **cut}],
    )
    x = net.parameter("x", "3,2")
    net.result(net.layer("TensorIterator", [x], "3,2", name="loop", bodies={"body": written}))
    model = load(net.save(tmp_path / "net.xml"))
    texts = explained(model, next(place for place in places_of(model) if place.node.bodies)).computes
    assert "along axis 0, of size 3, from the end." in texts[1]
    assert texts[-1] == "Output 0: the values of all iterations, joined along axis 0, the last one first."
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    (made,) = build(model, {}).session().run([data]).to_tuple()
    np.testing.assert_array_equal(made, -data)
