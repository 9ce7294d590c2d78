"""Departures of operations that move or select elements."""

from __future__ import annotations

import math
from typing import Final

from irrun.ops._declared.sort.non_max_suppression import NonMaxSuppressionV5
from irrun.tensor.element_type import I8, I32, I64, STRING, U8
from tests.lab.graphs.departures.row import Departure, declared, is_bounded, is_constant, is_dynamic, types
from tests.lab.graphs.evaluate import Use


def _padding_only(use: Use) -> bool:
    blocks, begins = use.inputs[1].tolist(), use.inputs[2].tolist()
    for size, block, begin in zip(use.inputs[0].shape, blocks, begins, strict=True):
        if len({(begin + index) % block for index in range(size)}) < block:
            return True
    return False


def _is_spread(shape: tuple[int, ...], axis: int) -> bool:
    """Return whether an axis has more than two slices that are not contiguous."""
    return shape[axis] > 2 and math.prod(shape[: axis % len(shape)]) > 1


DEPARTURES: Final = (
    Departure(
        ("Broadcast",), "reads beyond the end of a target shape of 8 bits", lambda use: use.facts[1].type in (I8, U8)
    ),
    Departure(
        ("SpaceToBatch", "BatchToSpace"),
        "reads other integers than i64 as if they were i64",
        lambda use: types(use, 1, 2, 3) != {I64},
    ),
    Departure(
        ("SpaceToBatch",),
        "reads beyond the data where a part of a block is padding",
        lambda use: _padding_only(use),
    ),
    Departure(("Gather",), "requires a constant axis", lambda use: not is_constant(use, 2)),
    Departure(
        ("Squeeze",),
        "does not skip axes where sizes are dynamic",
        lambda use: use.op.opset == 15 and bool(use.op.allow_axis_skip) and is_dynamic(use, 0),
    ),
    Departure(
        ("Squeeze",),
        declared("Squeeze", "strings"),
        lambda use: use.op.opset == 15 and bool(use.op.allow_axis_skip) and use.facts[0].type is STRING,
    ),
    Departure(
        ("Pad",),
        "treats a value that is not constant as 0",
        lambda use: use.op.pad_mode == "constant" and not is_constant(use, 3) and bool(use.inputs[3] != 0),
    ),
    Departure(
        ("StridedSlice",),
        "returns wrong elements where some axes are new and others shrink",
        lambda use: 1 in use.op.new_axis_mask and 1 in use.op.shrink_axis_mask,
    ),
    Departure(
        ("StridedSlice",),
        "returns arbitrary elements where masks change axes and bounds are not constant",
        lambda use: (
            1 in (*use.op.shrink_axis_mask, *use.op.new_axis_mask, *use.op.ellipsis_mask)
            and not all(is_constant(use, index) for index in (1, 2, 3))
        ),
    ),
    Departure(
        ("StridedSlice",),
        "returns an element of an empty axis where strides are negative",
        lambda use: 0 in use.inputs[0].shape and bool((use.inputs[3] < 0).any()),
    ),
    Departure(
        ("SliceScatter",),
        "crashes or returns wrong elements where bounds are not constant",
        lambda use: not all(is_constant(use, index) for index in (2, 3, 4, 5)),
    ),
    Departure(
        (
            *("Broadcast", "DepthToSpace", "GatherElements", "GatherND", "NonZero", "Reverse", "ReverseSequence"),
            *("Roll", "ScatterElementsUpdate", "ScatterNDUpdate", "ScatterUpdate", "ShuffleChannels", "Slice"),
            *("SliceScatter", "SpaceToDepth", "StridedSlice", "Tile", "Unique", "VariadicSplit"),
        ),
        declared("Slice", "strings"),
        lambda use: use.facts[0].type is STRING,
    ),
    Departure(
        ("Slice", "StridedSlice"),
        "infers too small sizes from a bounded size and negative indices",
        lambda use: is_bounded(use, 0) and any(bool((use.inputs[index] < 0).any()) for index in (1, 2)),
    ),
    Departure(
        ("SliceScatter",),
        "infers too small sizes from a bounded size and negative indices",
        lambda use: is_bounded(use, 0) and any(bool((use.inputs[index] < 0).any()) for index in (2, 3)),
    ),
    Departure(("Slice",), "crashes where axes are not constant", lambda use: not is_constant(use, 4)),
    Departure(
        ("Slice",),
        "crashes where the result is empty and bounds are not constant",
        lambda use: use.outputs[0].size == 0 and not all(is_constant(use, index) for index in (1, 2, 3)),
    ),
    Departure(
        ("Gather",),
        "divides by zero where batch axes have one element",
        lambda use: getattr(use.op, "batch_dims", 0) != 0 and math.prod(use.inputs[1].shape[: use.op.batch_dims]) == 1,
    ),
    Departure(
        ("Gather",),
        "reads beyond the end of a compressed table",
        lambda use: (
            use.op.opset >= 7
            and is_constant(use, 0)
            and bool((use.inputs[1] >= use.inputs[0].shape[int(use.inputs[2].reshape(-1)[0])]).any())
        ),
    ),
    Departure(
        ("Tile",),
        "omits elements where there are more repeats than axes",
        lambda use: use.inputs[1].size > use.inputs[0].ndim,
    ),
    Departure(
        ("Tile",),
        "returns wrong elements where more than two axes, but not all, are repeated",
        lambda use: use.inputs[1].size < use.inputs[0].ndim and int((use.inputs[1] > 1).sum()) > 2,
    ),
    Departure(
        ("Tile",),
        "crashes in constant folding of empty tensors",
        lambda use: use.outputs[0].size == 0 and is_constant(use, 0),
    ),
    Departure(
        ("Tile",),
        "returns wrong elements where more than one of five or more axes are repeated, and sizes are dynamic",
        lambda use: is_dynamic(use, 0) and use.inputs[0].ndim > 4 and int((use.inputs[1] > 1).sum()) > 1,
    ),
    Departure(
        ("Tile",),
        "returns wrong elements where a single channel is repeated, and sizes are dynamic",
        lambda use: (
            is_dynamic(use, 0)
            and use.inputs[0].ndim > 3
            and use.inputs[0].shape[1] == 1
            and use.outputs[0].shape[1] > 1
        ),
    ),
    Departure(
        ("ScatterUpdate",),
        "returns wrong elements in constant folding where an axis has one element",
        lambda use: 1 in use.inputs[0].shape and all(is_constant(use, index) for index in range(4)),
    ),
    Departure(
        ("Unique",),
        "orders slices wrongly that are not contiguous",
        lambda use: len(use.inputs) == 2 and _is_spread(use.inputs[0].shape, int(use.inputs[1].reshape(-1)[0])),
    ),
    Departure(
        ("Unique",),
        "returns wrong indices of slices of 8-bit integers",
        lambda use: len(use.inputs) == 2 and use.facts[0].type in (I8, U8),
    ),
    Departure(
        ("ScatterElementsUpdate",),
        declared("ScatterElementsUpdate", "mean"),
        lambda use: use.op.opset != 3 and use.op.reduction == "mean" and use.inputs[0].dtype.kind in "iu",
    ),
    Departure(("Transpose",), "omits a Transpose of one axis, and an input", lambda use: use.inputs[0].ndim < 2),
    Departure(("Transpose",), "does not permute the sizes of an empty tensor", lambda use: use.inputs[0].size == 0),
    Departure(
        ("VariadicSplit",),
        "loses the sizes of empty outputs",
        lambda use: is_dynamic(use, 0) and any(array.size == 0 for array in use.outputs),
    ),
    Departure(("StringTensorPack",), "does not fold strings", lambda use: all(is_constant(use, i) for i in range(3))),
    Departure(
        ("NonMaxSuppression",),
        NonMaxSuppressionV5.spec.departures["soft"],
        lambda use: len(use.inputs) == 6 and bool((use.inputs[5] != 0).any()),
    ),
    Departure(
        ("NonMaxSuppression",),
        "ignores the number of batches in the size of its result",
        lambda use: use.op.opset in (1, 3) and use.inputs[1].shape[0] > 1,
    ),
    Departure(
        ("Broadcast",),
        "divides by zero where there are no elements",
        lambda use: use.inputs[0].size == 0,
    ),
    Departure(
        ("Concat",),
        "loses the sizes of empty inputs",
        lambda use: use.outputs[0].size == 0,
    ),
    Departure(
        ("ExtractImagePatches",),
        "returns empty axes where there are no patches and sizes are dynamic",
        lambda use: use.outputs[0].size == 0 and is_dynamic(use, 0),
    ),
    Departure(
        ("Transpose",),
        "treats an empty order as no axes in shape inference",
        lambda use: use.inputs[1].size == 0 and use.inputs[0].ndim > 0,
    ),
    Departure(
        ("NonMaxSuppression",),
        "omits the rows of -1",
        lambda use: use.op.opset in (1, 3, 4) and bool((use.outputs[0] == -1).any()),
    ),
    Departure(("SliceScatter",), "crashes where there is nothing to write", lambda use: use.inputs[1].size == 0),
    Departure(
        ("Slice", "SliceScatter", "StridedSlice"),
        "crashes or returns wrong elements where bounds are of other types than i32 and i64, or of different ones",
        lambda use: (
            len(types(use, *range(1 + (use.op.type == "SliceScatter"), 6))) > 1
            or not types(use, *range(1 + (use.op.type == "SliceScatter"), 6)) <= {I32, I64}
        ),
    ),
)
