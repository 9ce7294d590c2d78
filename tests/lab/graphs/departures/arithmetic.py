"""Departures of arithmetic, comparisons and reductions."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.tensor import Array
from irrun.tensor.element_type import BOOLEAN, F64, I8, I32, I64, STRING, U8, U64
from tests.lab.graphs.departures.row import Departure, always, declared, is_constant
from tests.lab.graphs.evaluate import Use
from tests.lab.graphs.values import holds


def _inexact(use: Use) -> bool:
    """Return whether an integer division of numbers of different sign has a remainder."""
    a, b = use.inputs
    return a.dtype.kind == "i" and bool(
        ((a * b.astype(np.int64) < 0) & (use.outputs[0] * b.astype(np.int64) != a)).any()
    )


def _remainder(use: Use) -> bool:
    a, b = use.inputs
    return a.dtype.kind in "iu" and bool((use.outputs[0] * b.astype(np.int64) != a).any())


def _may_overflow(use: Use) -> bool:
    """Return whether a product of some of the elements is beyond float32."""
    data = use.inputs[0]
    large = np.maximum(np.abs(data), 1) if data.dtype.kind == "f" else np.ones(())
    return bool(np.log(large).sum() > np.log(np.finfo(np.float32).max))


def _is_nearly_signed(low: Array, high: Array, half: int) -> bool:
    """Return whether ``half`` of the levels are below zero, and one less above it, to two thousandths of them."""
    return bool(np.isclose(low * (half - 1), -high * half, 2e-3).any())


BINARY: Final = (
    *("Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum", "Power", "Mod", "FloorMod", "SquaredDifference"),
    *("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"),
    *("LogicalAnd", "LogicalOr", "LogicalXor", "Xor"),
)

DEPARTURES: Final = (
    Departure(("Atan2",), declared("Atan2", "unknown"), always),
    Departure(("Multinomial",), declared("Multinomial", "generator"), always),
    Departure(("RandomUniform",), declared("RandomUniform", "stream"), always),
    Departure(("Divide",), declared("Divide", "floor"), _inexact),
    Departure(
        ("Divide",),
        "rounds quotients of 8-bit integers to the nearest",
        lambda use: _remainder(use) and use.facts[0].type in (I8, U8),
    ),
    Departure(
        ("FloorMod", "Mod"),
        "returns the least integer as the remainder of a division by zero",
        lambda use: use.facts[0].type.is_integer and bool((use.inputs[1] == 0).any()),
    ),
    Departure(("CumSum",), declared("CumSum", "optional"), lambda use: len(use.facts) == 1),
    Departure(("Select",), "cannot select booleans", lambda use: use.facts[1].type is BOOLEAN),
    Departure(
        ("FakeQuantize",),
        declared("FakeQuantize", "equal limits"),
        lambda use: bool((use.inputs[1] == use.inputs[2]).any()),
    ),
    Departure(("FakeQuantize", "PReLU"), declared("PReLU", "f64"), lambda use: use.facts[0].type is F64),
    Departure(("TopK",), "accepts k as i8, i32 or i64 only", lambda use: use.facts[1].type not in (I8, I32, I64)),
    Departure(
        ("Add", "Multiply", "Maximum"),
        declared("Add", "pdpd"),
        lambda use: use.op.auto_broadcast == "pdpd",
    ),
    Departure(
        BINARY,
        "treats a constant of one element as a list of one, and refuses it without broadcasting",
        lambda use: (
            use.op.auto_broadcast == "none" and use.inputs[0].size == 1 and (is_constant(use, 0) or is_constant(use, 1))
        ),
    ),
    Departure(("FakeConvert",), "rounds differently in constant folding", lambda use: is_constant(use, 0)),
    Departure(("Identity",), declared("Identity", "strings"), lambda use: use.facts[0].type is STRING),
    Departure(
        ("HardSigmoid",),
        "treats an alpha or beta of 0 as absent",
        lambda use: 0 in (*use.inputs[1].reshape(-1), *use.inputs[2].reshape(-1)),
    ),
    Departure(
        ("Abs",), "omits the layer where the first element of a constant is positive", lambda use: is_constant(use, 0)
    ),
    Departure(
        ("Convert",),
        "computes in i32 where the result type cannot hold a number",
        lambda use: not holds(use.types[0], use.inputs[0]),
    ),
    Departure(("Negative",), "does not support unsigned integers", lambda use: use.facts[0].type.kind == "uint"),
    Departure(
        ("Clamp",),
        declared("Clamp", "8-bit"),
        lambda use: use.facts[0].type in (I8, U8) and (use.op.min % 1 != 0 or use.op.max % 1 != 0),
    ),
    Departure(("NonZero",), declared("NonZero", "scalar"), lambda use: use.inputs[0].ndim == 0),
    Departure(
        ("NonZero",),
        "returns wrong indices in constant folding of four or more axes",
        lambda use: is_constant(use, 0) and use.inputs[0].ndim > 3,
    ),
    Departure(
        BINARY,
        "computes in i32 instead of u64",
        lambda use: use.facts[0].type is U64 and any(bool((x >= 2**31).any()) for x in use.inputs),
    ),
    Departure(
        ("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"),
        "converts booleans to u8, in some models on one side only",
        lambda use: use.facts[0].type is BOOLEAN,
    ),
    Departure(
        ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1"),
        declared("ReduceSum", "8-bit"),
        lambda use: use.facts[0].type in (I8, U8),
    ),
    Departure(
        ("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"),
        declared("Equal", "strings"),
        lambda use: use.facts[0].type is STRING,
    ),
    Departure(
        ("SquaredDifference",),
        "saturates differences of unsigned 8-bit integers",
        lambda use: use.facts[0].type is U8 and bool((use.inputs[0] != use.inputs[1]).any()),
    ),
    Departure(
        ("SquaredDifference",),
        "returns the minimum of 0 and the first operand for signed 8-bit integers",
        lambda use: use.facts[0].type is I8,
    ),
    Departure(
        BINARY,
        "crashes in constant folding of empty tensors",
        lambda use: use.outputs[0].size == 0 and is_constant(use, 0) and is_constant(use, 1),
    ),
    Departure(
        ("Einsum",),
        "crashes in constant folding of empty tensors",
        lambda use: use.outputs[0].size == 0 and all(fact.constant is not None for fact in use.facts),
    ),
    Departure(
        ("MatMul",),
        "refuses to transpose where there are no elements",
        lambda use: (use.op.transpose_a or use.op.transpose_b) and 0 in (use.inputs[0].size, use.inputs[1].size),
    ),
    Departure(
        ("ReduceMean",),
        "rounds means of integers to the nearest where there are more than five axes",
        lambda use: use.facts[0].type.is_integer and use.inputs[0].ndim > 5,
    ),
    Departure(("ReduceProd",), "multiplies in an order that overflows", _may_overflow),
    Departure(
        ("FakeQuantize",),
        "computes with 256 instead of 255 levels where the number of channels is dynamic",
        lambda use: use.op.levels == 255 and use.inputs[0].ndim > 1 and not use.facts[0].shape[1].is_static,
    ),
    Departure(
        ("FakeQuantize",),
        "takes limits of outputs that are nearly those of i4 or i8 for them",
        lambda use: use.op.levels in (16, 256) and _is_nearly_signed(*use.inputs[3:], use.op.levels // 2),
    ),
    Departure(("FakeQuantize",), "crashes where tensors are empty", lambda use: use.outputs[0].size == 0),
    Departure(
        ("FakeQuantize",),
        "returns an axis for a scalar where a limit has one",
        lambda use: use.inputs[0].ndim < max(array.ndim for array in use.inputs[1:]),
    ),
)
