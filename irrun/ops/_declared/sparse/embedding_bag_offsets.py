from __future__ import annotations

from typing import Literal

from irrun.kernels.embedding import bags_from, reduce_bags
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sparse.embedding import (
    INDEX,
    bags_shape,
    check_ascending,
    check_indices,
    default_row,
    weighted,
)
from irrun.ops.declaration import COUNTED
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=COUNTED)
TI = TypeVar("T_IND", INDEX)


@op("EmbeddingBagOffsets", opset=15)
class EmbeddingBagOffsets(Op):
    """Sums or means of table rows in bags, each a part of a list of indices."""

    inputs = (
        In("emb_table", T, "[rows, ...]"),
        In("indices", TI, "[count], rows of the table", rank=1),
        In("offsets", TI, "[bags], where each bag begins in indices", rank=1),
        In("default_index", TI, "the row used for an empty bag; -1 means zeros", optional=True, rank=0),
        In("per_sample_weights", T, "[count], factors of the rows", optional=True, rank=1),
    )
    outputs = (Out("output", T, "[bags, ...]"),)

    reduction: Literal["sum", "mean"] = attr("sum", doc="reduction of the rows of a bag")

    def infer(self, table: Fact, indices: Fact, offsets: Fact, _: Fact | None, weights: Fact | None) -> Shape:
        if weights is not None and self.reduction == "mean":
            raise OpError("per_sample_weights are given, but reduction is mean", input=4)
        weighted(indices, weights, 4)
        return bags_shape(offsets.shape[0] if offsets.shape.dims is not None else Dim(), table)

    def run(
        self, table: Array, indices: Array, offsets: Array, default_index: Array | None, weights: Array | None
    ) -> Array:
        check_indices(indices, table)
        check_ascending("offsets", offsets, len(indices))
        bags, row = bags_from(offsets, len(indices)), default_row(default_index, table)
        return reduce_bags(table, indices, bags, len(offsets), weights, row, mean=self.reduction == "mean")
