from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.declaration import FLAGS
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import BOOLEAN, I32, I64, NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)
TI = TypeVar("T_IDX", frozenset({I32, I64}))


@op("SparseFillEmptyRows", opset=16, page="fill-empty-rows-16")
class SparseFillEmptyRows(Op):
    """A sparse matrix with a default value in the first column of each empty row, in row-major order.

    Note: values are numbers. OpenVINO reads a model with strings, and computes no strings from them.
    """

    alike = ((0, 1),)
    inputs = (
        In("values", T, "[count]", rank=1),
        In("dense_shape", TI, "[2], rows and columns of the matrix", rank=1),
        In("indices", TI, "[count, 2], row and column of each value", rank=2),
        In("default_value", NUMERIC, "the value for empty rows", rank=0, also=FLAGS),
    )
    outputs = (
        Out("output_indices", TI, "[count, 2]"),
        Out("output_values", T, "[count]"),
        Out("empty_row_indicator", BOOLEAN, "[rows], whether the row was empty"),
    )

    def infer(self, values: Fact, dense_shape: Fact, indices: Fact, _: Fact) -> tuple[Shape, Shape, Shape]:
        count = values.shape[0] if values.shape.dims is not None else Dim()
        if indices.shape.dims is not None:
            count = merge_dims(count, indices.shape[0], "the numbers of values and of indices", input=2)
            if not indices.shape[1].admits(2):
                raise OpError(f"indices have shape {indices.shape}, expected [{count},2]", input=2)
        if dense_shape.shape.dims is not None and not dense_shape.shape[0].admits(2):
            raise OpError(f"dense_shape has {amount(dense_shape.shape[0], 'element')}, expected 2", input=1)
        sizes = dense_shape.dims()
        rows = sizes[0].as_dimension() if sizes is not None else Dim()
        known = indices.constant
        if known is not None and rows.is_static:
            filled = count + rows.lo - len(np.unique(known[:, 0]))
        else:
            filled = count.maximum(rows).union(count + rows)
        return Shape([filled, 2]), Shape([filled]), Shape([rows])

    def run(self, values: Array, dense_shape: Array, indices: Array, default_value: Array) -> tuple[Array, ...]:
        rows = int(dense_shape[0])
        if indices.size and not (indices.min() >= 0 and indices[:, 0].max() < rows):
            raise OpError(f"indices are outside a matrix of {rows} rows", input=2)
        empty = np.ones(rows, np.bool_)
        empty[indices[:, 0]] = False
        added = np.zeros((int(empty.sum()), 2), indices.dtype)
        added[:, 0] = np.nonzero(empty)[0]
        every = np.concatenate([indices, added])
        order = np.lexsort((every[:, 1], every[:, 0]))
        filled = np.concatenate([values, np.full(len(added), default_value, values.dtype)])
        return every[order], filled[order], empty
