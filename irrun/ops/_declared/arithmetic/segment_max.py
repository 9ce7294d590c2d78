from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.ops.shapes import merge_dims, with_axis
from irrun.tensor.element_type import I32, I64, NUMERIC
from irrun.tensor.rounding import lowest

T = TypeVar("T", NUMERIC, also=FLAGS)
_INDEX = frozenset({I32, I64})


@op("SegmentMax", opset=16)
class SegmentMax(Op):
    """The maximum of each segment of the first axis; segment_ids holds the segment of each slice.

    Note: the attribute list of the page calls fill_mode empty_segment_value; its text and OpenVINO call it fill_mode.
    As in OpenVINO, slices of a segment beyond num_segments are ignored.
    """

    departures = {
        "nan": "ignores NaN",
        "lowest": "fills empty segments of f16 with -inf, and those of i4 with another value",
    }
    inputs = (
        In("data", T, "the slices along the first axis"),
        In("segment_ids", _INDEX, "sorted numbers of segments, from 0", rank=1),
        In(
            "num_segments",
            _INDEX,
            "the first size of the output; one more than the last id if absent",
            optional=True,
            rank=0,
        ),
    )
    outputs = (Out("output", T),)

    fill_mode: Literal["zero", "lowest"] = attr(doc="the value of an empty segment", openvino="zero")

    def infer(self, data: Fact, segment_ids: Fact, num_segments: Fact | None) -> Shape:
        if data.rank == 0:
            raise OpError("data is a scalar, expected a tensor of rank 1 or more", input=0)
        if data.shape.dims is not None and segment_ids.shape.dims is not None:
            merge_dims(
                data.shape[0], segment_ids.shape[0], "the first size of data and the size of segment_ids", input=1
            )
        if segment_ids.constant is not None:
            _check(segment_ids.constant)
        ids = segment_ids.ints()
        return with_axis(data.shape, 0, _segments(ids, num_segments)) if data.shape.dims is not None else data.shape

    def run(
        self, data: Array, segment_ids: Array, num_segments: Array | None, *, facts: Sequence[Fact | None] | None = None
    ) -> Array:
        _check(segment_ids)
        last = int(segment_ids[-1]) + 1 if segment_ids.size else 0
        segments = last if num_segments is None else int(num_segments)
        if segments < 0:
            raise OpError(f"num_segments is {segments}, expected 0 or more", input=2)
        inside = segment_ids < segments
        ids, slices = segment_ids[inside], data[inside]
        filling = 0 if self.fill_mode == "zero" else _lowest(data, facts)
        result = np.full((segments, *data.shape[1:]), filling, data.dtype)
        if ids.size:
            starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
            result[ids[starts]] = np.maximum.reduceat(slices, starts, axis=0)
        return result


def _check(ids: Array) -> None:
    if np.any(ids[1:] < ids[:-1]):
        raise OpError(f"segment_ids are {ids.tolist()}, expected them sorted", input=1)
    if ids.size and ids[0] < 0:
        raise OpError(f"segment_ids begin with {ids[0]}, expected 0 or more", input=1)


def _segments(ids: tuple[int, ...] | None, num_segments: Fact | None) -> Dim:
    if num_segments is not None:
        known = num_segments.dims()
        return known[0].as_dimension() if known else Dim()
    if ids is None:
        return Dim()
    return Dim.exactly(ids[-1] + 1 if ids else 0)


def _lowest(data: Array, facts: Sequence[Fact | None] | None) -> float | int:
    """Return the lowest finite value of the element type of the data."""
    if facts is not None and facts[0] is not None and facts[0].type.is_narrow:
        return lowest(facts[0].type)
    return float(np.finfo(data.dtype).min) if data.dtype.kind == "f" else int(np.iinfo(data.dtype).min)
