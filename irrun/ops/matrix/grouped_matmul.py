from __future__ import annotations

from irrun.kernels.matmul import grouped_matmul, matmul
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, I64, NUMERIC

T = TypeVar("T", NUMERIC)


@op("GroupedMatMul", opset=17, page="grouped-matmul-17")
class GroupedMatMul(Op):
    """Products of matrices in groups, as a mixture of experts needs them.

    A 2D first input is parted by ``offsets``, whose element i is where group i ends: by rows where the second input is
    3D with one matrix for each group, by columns where it is 2D. Two 3D inputs are multiplied group by group.

    Note: rows that belong to no group are zero.
    """

    inputs = (
        In("mat_a", T, "[tokens, K], [G, M, K] or [K, tokens]", rank=(2, 3)),
        In("mat_b", T, "[G, K, N] or [tokens, N]", rank=(2, 3)),
        In("offsets", frozenset({I32, I64}), "where each group ends, [G]", optional=True, rank=1),
    )
    outputs = (Out("output", T),)

    def infer(self, mat_a: Fact, mat_b: Fact, offsets: Fact | None) -> Shape:
        if mat_a.rank == 3 and mat_b.rank == 2:
            raise OpError("a 3D mat_a needs a 3D mat_b, got rank 2", input=1)
        if mat_a.rank == 3 and offsets is not None:
            raise OpError("offsets are given for two 3D inputs, expected none", input=2)
        if mat_a.rank == 2 and offsets is None:
            raise OpError("offsets are missing; a 2D mat_a requires them", input=2)
        if mat_a.shape.dims is None or mat_b.shape.dims is None:
            return Shape.unknown()
        a, b = mat_a.shape.dims, mat_b.shape.dims
        if len(b) == 2:
            merge_dims(a[1], b[0], "the columns of mat_a and the rows of mat_b", input=1)
            groups = _groups(offsets)
            return Shape([groups[0], a[0], b[1]])
        merge_dims(a[-1], b[1], "the columns of mat_a and the rows of mat_b", input=1)
        if len(a) == 2:
            merge_dims(_groups(offsets)[0], b[0], "the number of offsets and of groups in mat_b", input=2)
            return Shape([a[0], b[2]])
        return Shape([merge_dims(a[0], b[0], "the groups of mat_a and mat_b", input=1), a[1], b[2]])

    def run(self, mat_a: Array, mat_b: Array, offsets: Array | None) -> Array:
        return matmul(mat_a, mat_b) if offsets is None else grouped_matmul(mat_a, mat_b, offsets)


def _groups(offsets: Fact | None) -> Shape:
    return offsets.shape if offsets is not None and offsets.shape.dims is not None else Shape.unknown(1)
