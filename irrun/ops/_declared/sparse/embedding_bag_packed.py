from __future__ import annotations

from typing import Literal

from irrun.kernels.embedding import reduce_rows
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sparse.embedding import INDEX, bags_shape, check_indices, weighted
from irrun.ops.declaration import COUNTED
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=COUNTED)
TI = TypeVar("T_IND", INDEX)


@op("EmbeddingBagPacked", opset=15)
class EmbeddingBagPacked(Op):
    """Sums or means of table rows in bags of equal size."""

    inputs = (
        In("emb_table", T, "[rows, ...]"),
        In("indices", TI, "[bags, count], rows of the table", rank=2),
        In("per_sample_weights", T, "[bags, count], factors of the rows", optional=True, rank=2),
    )
    outputs = (Out("output", T, "[bags, ...]"),)

    reduction: Literal["sum", "mean"] = attr("sum", doc="reduction of the rows of a bag")

    def infer(self, table: Fact, indices: Fact, weights: Fact | None) -> Shape:
        if weights is not None and self.reduction == "mean":
            raise OpError("per_sample_weights are given, but reduction is mean", input=2)
        shape = weighted(indices, weights, 2)
        return bags_shape(Dim() if shape.dims is None else shape[0], table)

    def run(self, table: Array, indices: Array, weights: Array | None) -> Array:
        check_indices(indices, table)
        return reduce_rows(table, indices, weights, mean=self.reduction == "mean")
