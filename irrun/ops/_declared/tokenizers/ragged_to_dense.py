from __future__ import annotations

from irrun.diagnostics import amount
from irrun.kernels.text.ragged import dense
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.tokenizers.ports import check_bounds, same_shape
from irrun.tensor import Dim
from irrun.tensor.element_type import BOOLEAN, I32, INTEGER, NUMERIC

T = TypeVar("T", NUMERIC | {BOOLEAN})


@op("RaggedToDense", opset="extension")
class RaggedToDense(Op):
    """The rows of a ragged tensor as a tensor: each has ``size`` elements, longer rows keep their beginning.

    The second output tells which elements come from the rows.
    """

    inputs = (
        In("begins", I32, "the first element of each row"),
        In("ends", I32, "the end of each row, exclusive"),
        In("data", T, "[elements, …], the elements of all rows"),
        In("size", INTEGER, "the elements of each row of the output, one number", rank=(0, 1)),
        In("default", T, "the value of padding, one number"),
        In("pad_right", frozenset({BOOLEAN}) | INTEGER, "wins over the attribute", rank=0, optional=True),
    )
    alike = ((0, 1),)
    outputs = (Out("dense", T, "[rows, size, …]"), Out("mask", BOOLEAN, "[rows, size, …]"))

    pad_right: bool = attr(True, doc="whether shorter rows are padded at their end, or at their beginning")
    m_pad_max_length: bool = attr(False, doc="whether each row is size elements from its begin on, whatever its end")

    def infer(
        self, begins: Fact, ends: Fact, data: Fact, size: Fact, default: Fact, _: Fact | None
    ) -> tuple[Shape, Shape]:
        rows = same_shape(begins, ends, input=0)
        sizes = size.dims() if size.shape.rank is not None else None
        if sizes is not None and len(sizes) != 1:
            raise OpError(f"size has {amount(len(sizes), 'element')}, expected 1", input=3)
        if rows.dims is None or data.shape.dims is None:
            return Shape.unknown(), Shape.unknown()
        if not len(data.shape):
            raise OpError("input 2 (data) has rank 0, expected at least 1", input=2)
        length = Dim() if sizes is None else sizes[0].as_dimension()
        shape = Shape([*rows.dims, length, *data.shape[1:]])
        return shape, shape

    def run(
        self, begins: Array, ends: Array, data: Array, size: Array, default: Array, pad_right: Array | None
    ) -> tuple[Array, Array]:
        width = int(size.reshape(-1)[0])
        check_bounds(begins, begins + width if self.m_pad_max_length else ends, len(data), "a row", input=0)
        right = self.pad_right if pad_right is None else bool(pad_right)
        value = default.reshape(-1)[0]
        return dense((begins, ends, data), width, value, pad_right=right, whole=self.m_pad_max_length)
