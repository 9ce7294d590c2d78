"""Declared shapes that cannot be, of layers whose output shape is not known: what operations say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops._declared.tokenizers.fuze_ragged import FuzeRagged
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64


def fact(shape: str, type: Any = F32) -> Fact:
    return Fact(type, Shape.parse(shape))


def known(*values: int, shape: tuple[int, ...] | None = None) -> Fact:
    return Fact.of(I64, np.array(values, np.int64).reshape(shape or len(values)))


LIST = fact("?", I64)
ONE = fact("", I64)

CASES: dict[str, tuple[str, dict[str, Any], list[str], list[Fact | None], list[str]]] = {
    "BatchToSpace-2 rows": (
        "BatchToSpace-2",
        {},
        ["3,4,2"],
        [fact("8,2,2"), LIST, LIST, LIST],
        ["axis 0 is 3, expected a divisor of 8, the batch of data"],
    ),
    "BatchToSpace-2 size": (
        "BatchToSpace-2",
        {},
        ["2,9,2"],
        [fact("8,2,2"), LIST, LIST, LIST],
        ["it has 36 elements, expected at most those of data [8,2,2]"],
    ),
    "BatchToSpace-2 fits": ("BatchToSpace-2", {}, ["2,4,4"], [fact("8,2,2"), LIST, LIST, LIST], []),
    "BatchToSpace-2 unknown": ("BatchToSpace-2", {}, ["3,4,2"], [fact("..."), LIST, LIST, LIST], []),
    "SpaceToBatch-2 rows": (
        "SpaceToBatch-2",
        {},
        ["3,2,4"],
        [fact("2,2,2"), LIST, LIST, LIST],
        ["axis 0 is 3, expected a multiple of 2, the batch of data"],
    ),
    "SpaceToBatch-2 size": (
        "SpaceToBatch-2",
        {},
        ["2,1,2"],
        [fact("2,2,2"), LIST, LIST, LIST],
        ["it has 4 elements, expected at least those of data [2,2,2]"],
    ),
    "SpaceToBatch-2 unknown": ("SpaceToBatch-2", {}, ["..."], [fact("2,2,2"), LIST, LIST, LIST], []),
    "Col2Im-15": (
        "Col2Im-15",
        {},
        ["1,5,4,4"],
        [fact("1,12,9"), fact("2", I64), fact("2", I64)],
        ["there are 5 channels, expected a divisor of 12, size 1 of data"],
    ),
    "Col2Im-15 of no channels": (
        "Col2Im-15",
        {},
        ["0,4,4"],
        [fact("12,9"), fact("2", I64), fact("2", I64)],
        ["there are 0 channels, expected a divisor of 12, size 0 of data"],
    ),
    "Col2Im-15 fits": ("Col2Im-15", {}, ["1,3,4,4"], [fact("1,12,9"), fact("2", I64), fact("2", I64)], []),
    "Col2Im-15 of another rank": ("Col2Im-15", {}, ["3,4"], [fact("1,12,9"), fact("2", I64), fact("2", I64)], []),
    "Broadcast-3 explicit": (
        "Broadcast-3",
        {"mode": "explicit"},
        ["2,5,4"],
        [fact("3,4"), LIST, known(1, 2)],
        ["axis 1 is 5, expected 3, the size of data"],
    ),
    "Broadcast-3 of unknown axes": (
        "Broadcast-3",
        {"mode": "explicit"},
        ["2,5,4"],
        [fact("3,4"), LIST, LIST],
        ["data [3,4] fit no ascending axes of it"],
    ),
    "Broadcast-3 in order": ("Broadcast-3", {"mode": "explicit"}, ["3,5,4"], [fact("3,4"), LIST, LIST], []),
    "Split-1 unknown": ("Split-1", {"num_splits": 2}, ["3"] * 2, [fact("..."), ONE], []),
    "Split-1": (
        "Split-1",
        {"num_splits": 2},
        ["3,3"] * 2,
        [fact("4,6"), ONE],
        ["no axis of data [4,6] splits into 2 such parts"] * 3,
    ),
    "Tile-1 unknown": ("Tile-1", {}, ["3"], [fact("..."), LIST], []),
    "Tile-1": ("Tile-1", {}, ["6,4"], [fact("2,3"), LIST], ["axis 1 is 4, expected a multiple of 3, the size of data"]),
    "Transpose-1 unknown": ("Transpose-1", {}, ["2,3"], [fact("..."), LIST], []),
    "VariadicSplit-1 unknown": ("VariadicSplit-1", {}, ["3"], [fact("..."), ONE, LIST], []),
    "IRDFT-9 of known axes": ("IRDFT-9", {}, ["3,4"], [fact("3,4,2"), known(1), None], []),
    "Gather-8 unknown": ("Gather-8", {}, ["3,4"], [fact("..."), fact("3", I64), ONE], []),
}


@pytest.mark.parametrize("name", CASES)
def test_declared_shapes(name: str) -> None:
    type, attributes, declared, inputs, expected = CASES[name]
    operation, _, version = type.partition("-")
    op: Any = resolve(operation, f"opset{version}")(**attributes)
    assert [item.what for item in op.refute([Shape.parse(text) for text in declared], *inputs)] == expected


@pytest.mark.parametrize(
    ("type", "attributes", "inputs", "message"),
    [
        ("Clamp-1", {"min": float("nan"), "max": 1.0}, None, "a bound is nan"),
        ("Clamp-1", {"min": 0.0, "max": float("nan")}, None, "a bound is nan"),
        (
            "DeformableConvolution-1",
            {
                "strides": (1, 1),
                "dilations": (1, 1),
                "pads_begin": (0, 0),
                "pads_end": (0, 0),
                "group": 3,
                "deformable_group": 1,
            },
            [fact("1,6,8,8"), fact("1,18,6,6"), fact("4,2,3,3")],
            "channels of the output (4) must be divisible by group (3)",
        ),
    ],
)
def test_what_does_not_fit(type: str, attributes: dict[str, Any], inputs: list[Fact] | None, message: str) -> None:
    operation, _, version = type.partition("-")
    declared: Any = resolve(operation, f"opset{version}")

    def made() -> object:
        return declared(**attributes).verify() if inputs is None else infer(declared(**attributes), inputs)

    with pytest.raises(OpError) as error:
        made()
    assert str(error.value) == message


def test_rows_of_strings_without_ends() -> None:
    nothing = np.zeros(1, np.int32)
    with pytest.raises(OpError, match=r"^begins and ends must have one shape, got \(2,\) and \(1,\)$"):
        FuzeRagged().run(nothing, nothing + 1, np.zeros(2, np.int32), nothing)


@pytest.mark.parametrize(
    ("type", "attributes", "inputs", "expected"),
    [
        (
            "Convolution-1",
            {"strides": (), "dilations": (), "pads_begin": (), "pads_end": ()},
            [fact("..."), fact("...")],
            "...",
        ),
        (
            "ConvolutionBackpropData-1",
            {"strides": (), "dilations": (), "pads_begin": (), "pads_end": ()},
            [fact("..."), fact("..."), known(5, 6)],
            "?,?,5,6",
        ),
        (
            "ConvolutionBackpropData-1",
            {"strides": (), "dilations": (), "pads_begin": (), "pads_end": ()},
            [fact("..."), fact("..."), None],
            "...",
        ),
        ("BatchNormInference-5", {"epsilon": 0.1}, [fact("2,3,4"), *[fact("3")] * 4], "2,3,4"),
    ],
)
def test_shapes_of_unknown_ranks(
    type: str, attributes: dict[str, Any], inputs: list[Fact | None], expected: str
) -> None:
    operation, _, version = type.partition("-")
    (made,) = infer(resolve(operation, f"opset{version}")(**attributes), inputs)
    assert str(made.shape) == str(Shape.parse(expected))
