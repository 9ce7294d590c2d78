from __future__ import annotations

from collections.abc import Callable
from functools import partial

from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.cases import ModelCase, f32


def running(start: int, end: int, stride: int, sums: int = 4) -> Callable[[Writer], None]:
    """Write running sums along axis 1 of four elements: their slices, and the last one."""
    return partial(_write, cut={"axis": 1, "start": start, "end": end, "stride": stride, "part_size": 1}, sums=sums)


def _write(ir: Writer, cut: dict[str, int], sums: int) -> None:
    one = Shape([1, 1])
    x, initial = ir.parameter("x", F32, Shape([1, 4])), ir.parameter("h", F32, one)
    body = ir.body()
    part, before = body.parameter("part", F32, one), body.parameter("before", F32, one)
    (after,) = body.layer("Add", "opset1", [part, before], [Fact(F32, one)])
    out = body.result(after)
    joined = {**cut, "start": 0, "end": -1} if cut["stride"] > 0 else cut
    handles = ir.layer(
        "TensorIterator",
        "opset1",
        [x, initial],
        [Fact(F32, Shape([1, sums])), Fact(F32, one)],
        bodies={
            "body": WrittenBody(
                body,
                [
                    {"external_port_id": 0, "internal_layer_id": 0, **cut},
                    {"external_port_id": 1, "internal_layer_id": 1},
                ],
                [
                    {"external_port_id": 2, "internal_layer_id": out, **joined},
                    {"external_port_id": 3, "internal_layer_id": out},
                ],
                [(out, 1)],
            )
        },
    )
    for handle in handles:
        ir.result(handle)


_X = [f32([[1, 2, 3, 4]]), f32([[0]])]

MODELS = [
    ModelCase("TensorIterator", 1, running(0, -1, 1), _X, [f32([[1, 3, 6, 10]]), f32([[10]])], name="forward"),
    ModelCase("TensorIterator", 1, running(-1, 0, -1), _X, [f32([[10, 9, 7, 4]]), f32([[10]])], name="backward"),
    ModelCase("TensorIterator", 1, running(1, 3, 1, 2), _X, [f32([[2, 5]]), f32([[5]])], name="start", departs="start"),
]
