from __future__ import annotations

from irrun.kernels.embedding import reduce_bags
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.sparse.embedding import (
    INDEX,
    bags_shape,
    check_ascending,
    check_indices,
    default_row,
    same_length,
    weighted,
)
from irrun.ops.declaration import COUNTED
from irrun.ops.departures import Departure, Layer, constant
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=COUNTED)
TI = TypeVar("T_IND", INDEX)


def _default_of_zeros(_: object, layer: Layer) -> bool:
    default = constant(layer, 4)
    return default is not None and default.size == 1 and int(default.reshape(-1)[0]) == -1


@op("EmbeddingSegmentsSum", opset=3)
class EmbeddingSegmentsSum(Op):
    """Sums of table rows in segments; segment_ids holds the segment of each index.

    Note: segment_ids that do not ascend are refused, as the page demands an order; OpenVINO returns the sums of other
    rows for them.
    """

    departures = {"zeros": Departure("writes beyond its memory where default_index is -1", _default_of_zeros)}
    workarounds = {"zeros": "leave default_index out"}

    inputs = (
        In("emb_table", T, "[rows, ...]"),
        In("indices", TI, "[count], rows of the table", rank=1),
        In("segment_ids", TI, "[count], ascending, the segment of each index", rank=1),
        In("num_segments", TI, "the number of segments", rank=0),
        In("default_index", TI, "the row used for an empty segment; -1 means zeros", optional=True, rank=0),
        In("per_sample_weights", T, "[count], factors of the rows", optional=True, rank=1),
    )
    outputs = (Out("output", T, "[segments, ...]"),)

    def infer(
        self, table: Fact, indices: Fact, segment_ids: Fact, count: Fact, _: Fact | None, weights: Fact | None
    ) -> Shape:
        weighted(indices, weights, 5)
        same_length(indices, segment_ids, "the lengths of indices and segment_ids", 2)
        segments = (count.dims() or (Dim.anything(),))[0]
        if segments.hi < 0:
            raise OpError(f"num_segments is {segments}, expected 0 or more", input=3)
        return bags_shape(segments, table)

    def run(
        self,
        table: Array,
        indices: Array,
        segment_ids: Array,
        count: Array,
        default_index: Array | None,
        weights: Array | None,
    ) -> Array:
        check_indices(indices, table)
        check_ascending("segment_ids", segment_ids)
        return reduce_bags(table, indices, segment_ids, int(count), weights, default_row(default_index, table))
