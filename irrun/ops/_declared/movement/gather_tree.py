from __future__ import annotations

from irrun.kernels.gather import gather_tree
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.shapes import merge_dims, with_axis
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("GatherTree", opset=1)
class GatherTree(Op):
    """Trace the beams of a beam search from the token and the parent beam of each step."""

    departures = {"no length": "leaves the result unwritten where a length is 0"}

    inputs = (
        In("step_ids", T, "tokens, [MAX_TIME, BATCH_SIZE, BEAM_WIDTH]", rank=3),
        In("parent_ids", T, "parent beams, [MAX_TIME, BATCH_SIZE, BEAM_WIDTH]", rank=3),
        In("max_seq_len", T, "the length of each sequence, [BATCH_SIZE]", rank=1),
        In("end_token", T, "the token that ends a sequence", rank=0),
    )
    outputs = (Out("final_ids", T),)

    def infer(self, step_ids: Fact, parent_ids: Fact, max_seq_len: Fact, end_token: Fact) -> Shape:
        merged = step_ids.shape.merge(parent_ids.shape)
        if merged is None:
            raise OpError(f"parent_ids have shape {parent_ids.shape}, expected {step_ids.shape} as step_ids", input=1)
        if merged.dims is None:
            merged = Shape.unknown(3)
        if max_seq_len.shape.dims is None:
            return merged
        batch = merge_dims(merged[1], max_seq_len.shape[0], "the batch of step_ids and max_seq_len", input=2)
        return with_axis(merged, 1, batch)

    def run(self, step_ids: Array, parent_ids: Array, max_seq_len: Array, end_token: Array) -> Array:
        try:
            return gather_tree(step_ids, parent_ids, max_seq_len, end_token)
        except IndexError as error:
            raise OpError(str(error), input=1) from None
