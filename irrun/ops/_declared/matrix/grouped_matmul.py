from __future__ import annotations

import math

from irrun.kernels.matmul import grouped_matmul, matmul
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.departures import IN_F32
from irrun.ops.shapes import merge_dims
from irrun.ops.work import Sizes
from irrun.tensor.element_type import I32, I64, NUMERIC

T = TypeVar("T", NUMERIC)


@op("GroupedMatMul", opset=17, page="grouped-matmul-17")
class GroupedMatMul(Op):
    """Products of matrices in groups, for a mixture of experts.

    A 2D first input is divided by rows: group i ends before row ``offsets[i]`` and is multiplied by the transposed
    matrix i of the second input. Two 3D inputs are multiplied group by group, the second one transposed.

    Note: rows without a group are zero.
    """

    departures = {
        "empty group": "leaves rows of no group unwritten",
        "integers": "refuses integers",
    }
    workarounds = {"integers": IN_F32}

    inputs = (
        In("mat_a", T, "[tokens, K] or [groups, M, K]", rank=(2, 3)),
        In("mat_b", T, "[groups, N, K]", rank=3),
        In("offsets", frozenset({I32, I64}), "the end of each group, [groups]; with a 2D mat_a", optional=True, rank=1),
    )
    outputs = (Out("output", T, "[tokens, N] or [groups, M, N]"),)

    def infer(self, mat_a: Fact, mat_b: Fact, offsets: Fact | None) -> Shape:
        if mat_a.rank == 3 and offsets is not None:
            raise OpError("offsets are given with a 3D mat_a, expected none", input=2)
        if mat_a.rank == 2 and offsets is None:
            raise OpError("offsets are missing; a 2D mat_a requires them", input=2)
        b = mat_b.shape if mat_b.shape.dims is not None else Shape.unknown(3)
        groups = b[0]
        if offsets is not None and offsets.shape.dims is not None:
            groups = merge_dims(groups, offsets.shape[0], "the numbers of groups in mat_b and of offsets", input=2)
        if mat_a.shape.dims is None:
            return Shape.unknown()
        merge_dims(mat_a.shape[-1], b[2], "the last sizes of mat_a and mat_b", input=1)
        if len(mat_a.shape) == 2:
            return Shape([mat_a.shape[0], b[1]])
        groups = merge_dims(mat_a.shape[0], groups, "the numbers of groups in mat_a and mat_b", input=1)
        return Shape([groups, mat_a.shape[1], b[1]])

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * sizes.inputs[0][-1]

    def run(self, mat_a: Array, mat_b: Array, offsets: Array | None) -> Array:
        return matmul(mat_a, mat_b, transpose_b=True) if offsets is None else grouped_matmul(mat_a, mat_b, offsets)
