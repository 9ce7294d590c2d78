from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims, normalize_axis, with_axis
from irrun.tensor.element_type import ANY, NUMERIC

T = TypeVar("T1", ANY)


@op("ReverseSequence", opset=1)
class ReverseSequence(Op):
    """Reverse the first elements of each sequence of a batch, up to its length."""

    inputs = (
        In("data", T, "a tensor of rank 2 or more"),
        In("seq_lengths", NUMERIC, "number of elements to reverse, for each element of the batch axis", rank=1),
    )
    outputs = (Out("output", T),)

    batch_axis: int = attr(0, doc="the axis of the batch")
    seq_axis: int = attr(1, doc="the axis along which elements are reversed")

    def infer(self, data: Fact, seq_lengths: Fact) -> Shape:
        if data.shape.dims is None:
            return data.shape
        rank = len(data.shape)
        if rank < 2:
            raise OpError(f"data have rank {rank}, expected 2 or more", input=0)
        batch = normalize_axis(self.batch_axis, rank, attribute="batch_axis")
        sequence = normalize_axis(self.seq_axis, rank, attribute="seq_axis")
        lengths = seq_lengths.ints() if not seq_lengths.type.is_float else None
        if lengths is not None:
            _check_lengths(lengths, data.shape[sequence], sequence)
        if seq_lengths.shape.dims is None:
            return data.shape
        size = merge_dims(data.shape[batch], seq_lengths.shape[0], "the batch of data and of seq_lengths", input=1)
        return with_axis(data.shape, batch, size)

    def run(self, data: Array, seq_lengths: Array) -> Array:
        batch, sequence = self.batch_axis % data.ndim, self.seq_axis % data.ndim
        if batch == sequence:
            return data
        _check_lengths(seq_lengths.astype(np.int64).tolist(), Dim.exactly(data.shape[sequence]), sequence)
        lengths = seq_lengths.astype(np.int64)[:, np.newaxis]
        place = np.arange(data.shape[sequence])[np.newaxis]
        source = np.where(place < lengths, lengths - 1 - place, place)
        shape = [1] * data.ndim
        shape[batch], shape[sequence] = data.shape[batch], data.shape[sequence]
        if batch > sequence:
            source = source.T
        return np.take_along_axis(data, source.reshape(shape), axis=sequence)


def _check_lengths(lengths: Sequence[int], size: Dim, axis: int) -> None:
    """Raise OpError where a sequence is longer than its axis."""
    if any(not 0 <= length <= size.hi for length in lengths):
        raise OpError(f"seq_lengths are {list(lengths)}, expected 1 to {size}, the size of axis {axis}", input=1)
