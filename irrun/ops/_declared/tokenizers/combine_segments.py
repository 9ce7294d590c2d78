from __future__ import annotations

from irrun.diagnostics import amount
from irrun.kernels.text.ragged import combined
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, op
from irrun.ops._declared.tokenizers.ports import UNKNOWN, check_bounds, expect_type, flat
from irrun.ops.calling import WrongInputCount
from irrun.ops.shapes import broadcast_dim, merge_dims
from irrun.tensor import DYNAMIC, Dim
from irrun.tensor.element_type import ANY, BOOLEAN, I32, NUMERIC

_ELEMENTS = NUMERIC | {BOOLEAN}


@op("CombineSegments", opset="extension")
class CombineSegments(Op):
    """Ragged tensors joined row by row, and for each element the id of the tensor that it comes from.

    A tensor with one row is repeated for all rows.
    """

    inputs = (
        In("begins", I32, "the first element of each row of the first tensor; a scalar for one row"),
        In("ends", I32, "the end of each row, exclusive"),
        In("data", _ELEMENTS, "the elements of all rows", rank=1),
        In("more", ANY, "begins, ends and data of further tensors; then their ids, [tensors]", variadic=True),
    )
    alike = ((0, 1, 3, 4), (2, 5))
    outputs = (
        Out("begins", I32, "the first element of each row"),
        Out("ends", I32, "the end of each row"),
        Out("data", _ELEMENTS, "the elements of all rows"),
        Out("id_begins", I32, "as begins"),
        Out("id_ends", I32, "as ends"),
        Out("ids", _ELEMENTS, "the id of the tensor of each element"),
    )

    def infer(self, *inputs: Fact) -> tuple[Fact, ...]:
        if len(inputs) % 3 != 1:
            raise WrongInputCount(
                f"CombineSegments has {amount(len(inputs), 'input')}, expected three for each tensor and the ids"
            )
        rows, type = Shape([]), DYNAMIC
        for first in range(0, len(inputs) - 1, 3):
            begins, ends, data = inputs[first : first + 3]
            expect_type(begins, I32, "begins", first)
            expect_type(ends, I32, "ends", first + 1)
            if data.rank not in (None, 1):
                raise OpError(f"input {first + 2} (data) has rank {data.rank}, expected 1", input=first + 2)
            if type.is_known:
                expect_type(data, type, "data", first + 2)
            type = data.type if data.type.is_known else type
            merge_dims(flat(begins.shape), flat(ends.shape), "the numbers of begins and of ends", input=first + 1)
            rows = _rows(rows, begins.shape, first)
        ids = inputs[-1]
        merge_dims(
            Dim.exactly(len(inputs) // 3), flat(ids.shape), "the numbers of tensors and of ids", input=len(inputs) - 1
        )
        edges = Fact(I32, rows)
        return edges, edges, Fact(type, UNKNOWN), edges, edges, Fact(ids.type, UNKNOWN)

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        *tensors, ids = inputs
        parts = list(zip(*(iter(tensors),) * 3, strict=True))
        for index, (begins, ends, data) in enumerate(parts):
            check_bounds(begins.reshape(-1), ends.reshape(-1), len(data), "a row", input=3 * index)
        begins, ends, data, owners = combined(parts, ids.reshape(-1))
        if all(tensor.ndim == 0 for tensor in tensors[::3]):
            begins, ends = begins.reshape(()), ends.reshape(())
        return begins, ends, data, begins, ends, owners


def _rows(rows: Shape, more: Shape, input: int) -> Shape:
    """Return the rows of tensors joined with another one."""
    if rows.dims is None or more.dims is None:
        return Shape.unknown()
    if len(more) > 1:
        raise OpError(f"input {input} (begins) has rank {len(more)}, expected 0 or 1", input=input)
    if not len(more) or not len(rows):
        return rows if not len(more) else more
    rows_of_both = broadcast_dim(rows[0], more[0])
    if rows_of_both is None:
        raise OpError(
            f"cannot join {amount(more[0], 'row')} with {rows[0]}, expected one or the same number", input=input
        )
    return Shape([rows_of_both])
