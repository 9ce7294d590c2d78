"""Larger IRs without findings, written by the tests: their declared dims are the inferred ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.inference.fold import fold
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.ops.harness import written


class Net:
    """Writes layers with the inferred dims of their outputs; values of constants are folded."""

    def __init__(self, name: str, ir: Writer | None = None) -> None:
        self.ir = ir if ir is not None else Writer(name)
        self.known: dict[tuple[int, int], Fact] = {}

    def parameter(self, name: str, *dims: int) -> Handle:
        handle = self.ir.parameter(name, F32, Shape([*dims]))
        self.known[handle.layer, handle.port] = handle.fact
        return handle

    def constant(self, values: Array) -> Handle:
        type = I64 if values.dtype.kind == "i" else F32
        handle = self.ir.constant(values, type)
        self.known[handle.layer, handle.port] = Fact.of(type, values)
        return handle

    def weights(self, *dims: int) -> Handle:
        return self.constant(np.zeros(dims, dtype=np.float32))

    def ints(self, *values: int) -> Handle:
        return self.constant(np.array(values, dtype=np.int64))

    def add(self, type: str, *inputs: Handle, opset: int = 1, outputs: int = 1, **attributes: Any) -> Handle:
        return self.several(type, *inputs, opset=opset, outputs=outputs, **attributes)[0]

    def several(
        self, type: str, *inputs: Handle, opset: int = 1, outputs: int = 1, **attributes: Any
    ) -> Sequence[Handle]:
        op = resolve(type, f"opset{opset}")(**attributes)
        context = {"output_count": outputs} if "output_count" in op.spec.infer_asks else {}
        known = [self.known[item.layer, item.port] for item in inputs]
        facts = fold(op, known, infer(op, known, **context))
        handles = self.ir.layer(type, op.spec.version, inputs, facts, written(op))
        self.known |= {(item.layer, item.port): fact for item, fact in zip(handles, facts, strict=True)}
        return handles

    def body(self, type: str, inputs: Sequence[Handle], outputs: Sequence[Fact], body: WrittenBody) -> Handle:
        (handle,) = self.ir.layer(type, "opset1", inputs, outputs, bodies={"body": body})
        self.known[handle.layer, handle.port] = handle.fact
        return handle


def convolutions() -> Writer:
    """Return convolutions with batch normalisation, residual additions, pooling and a classifier."""
    net = Net("convolutions")
    x = net.parameter("image", 1, 3, 32, 32)
    plain: Mapping[str, Any] = {"strides": (1, 1), "pads_begin": (1, 1), "pads_end": (1, 1), "dilations": (1, 1)}
    x = net.add("Convolution", x, net.weights(8, 3, 3, 3), **plain)
    for channels, stride in ((8, 1), (16, 2), (32, 2)):
        wide = int(x.fact.shape[1].lo)
        y = net.add("ReLU", net.add("Add", x, net.weights(1, wide, 1, 1)))
        y = net.add("Convolution", y, net.weights(channels, wide, 3, 3), **{**plain, "strides": (stride, stride)})
        y = net.add("Clamp", y, min=0.0, max=6.0)
        y = net.add("Convolution", y, net.weights(channels, channels, 3, 3), **plain)
        none: Mapping[str, Any] = {
            "strides": (stride, stride),
            "pads_begin": (0, 0),
            "pads_end": (0, 0),
            "dilations": (1, 1),
        }
        x = net.add("Add", y, net.add("Convolution", x, net.weights(channels, wide, 1, 1), **none))
    pool: Mapping[str, Any] = {"strides": (2, 2), "pads_begin": (0, 0), "pads_end": (0, 0), "kernel": (2, 2)}
    x = net.add("MaxPool", x, **pool)
    x = net.add("ReduceMean", x, net.ints(2, 3), keep_dims=False)
    x = net.add("MatMul", x, net.weights(10, 32), transpose_a=False, transpose_b=True)
    net.ir.result(net.add("SoftMax", net.add("Add", x, net.weights(1, 10)), axis=1))
    return net.ir


def attention() -> Writer:
    """Return two blocks of a transformer: normalisation, attention with several heads, a feed-forward net."""
    net = Net("attention")
    x = net.parameter("tokens", 2, 12, 16)
    for _ in range(2):
        y = net.add("MVN", x, net.ints(2), opset=6, normalize_variance=True, eps=1e-5, eps_mode="inside_sqrt")
        heads = []
        for _ in range(3):
            z = net.add("MatMul", y, net.weights(16, 16), transpose_a=False, transpose_b=True)
            z = net.add("Reshape", z, net.ints(0, 0, 4, 4), special_zero=True)
            heads.append(net.add("Transpose", z, net.ints(0, 2, 1, 3)))
        scores = net.add("MatMul", heads[0], heads[1], transpose_a=False, transpose_b=True)
        scores = net.add("Divide", scores, net.constant(np.full(1, 2, dtype=np.float32)))
        scores = net.add("SoftMax", scores, axis=-1, opset=8)
        mixed = net.add("MatMul", scores, heads[2], transpose_a=False, transpose_b=False)
        mixed = net.add("Transpose", mixed, net.ints(0, 2, 1, 3))
        x = net.add("Add", x, net.add("Reshape", mixed, net.ints(0, 0, 16), special_zero=True))
        y = net.add("MatMul", x, net.weights(64, 16), transpose_a=False, transpose_b=True)
        y = net.add("MatMul", net.add("Gelu", y, opset=7), net.weights(16, 64), transpose_a=False, transpose_b=True)
        x = net.add("Add", x, y)
    parts = net.several("Split", x, net.constant(np.array(1)), num_splits=3, outputs=3)
    net.ir.result(net.add("Concat", *parts, axis=2))
    return net.ir


def shapes() -> Writer:
    """Return shape arithmetic: ShapeOf, Gather and Concat that feed Reshape, Broadcast, Tile, Slice and Pad."""
    net = Net("shapes")
    x = net.parameter("x", 2, 3, 4, 5)
    shape = net.add("ShapeOf", x, opset=3, output_type="i64")
    zero = net.constant(np.array(0))
    first = net.add("Gather", shape, net.ints(0, 1), zero, opset=8, batch_dims=0)
    rest = net.add("ReduceProd", net.add("Gather", shape, net.ints(2, 3), zero, opset=8), net.ints(0), keep_dims=True)
    flat = net.add("Reshape", x, net.add("Concat", first, rest, axis=0), special_zero=False)
    net.ir.result(net.add("Tile", flat, net.ints(1, 2, 1)))
    target = net.add("Concat", net.ints(7), shape, axis=0)
    net.ir.result(net.add("Broadcast", x, target, opset=3, mode="numpy"))
    net.ir.result(net.add("Slice", x, net.ints(0, 1), net.ints(9, 3), net.ints(1, 1), net.ints(3, 2), opset=8))
    net.ir.result(net.add("Pad", x, net.ints(0, 1, 2, 3), net.ints(3, 2, 1, 0), pad_mode="constant", opset=12))
    net.ir.result(net.add("Unsqueeze", net.add("Squeeze", flat, net.ints()), net.ints(0, -1)))
    return net.ir


def iterator() -> Writer:
    """Return a TensorIterator over the rows of its input that carries a sum and concatenates the results."""
    net = Net("iterator")
    x, start = net.parameter("x", 5, 2, 4), net.parameter("start", 1, 2, 4)
    inner = Net("body", net.ir.body())
    row, total = inner.parameter("row", 1, 2, 4), inner.parameter("total", 1, 2, 4)
    grown = inner.add("Add", inner.add("Tanh", row), total)
    doubled = inner.add("Concat", grown, grown, axis=2)
    ends = [inner.ir.result(grown), inner.ir.result(doubled)]
    body = WrittenBody(
        inner.ir,
        [
            {"axis": 0, "external_port_id": 0, "internal_layer_id": row.layer},
            {"external_port_id": 1, "internal_layer_id": total.layer},
        ],
        [{"axis": 0, "external_port_id": 2, "internal_layer_id": ends[1]}],
        [(ends[0], total.layer)],
    )
    joined = net.body("TensorIterator", [x, start], [Fact(F32, Shape([5, 2, 8]))], body)
    net.ir.result(net.add("Sigmoid", joined))
    return net.ir


NETS = {"convolutions": convolutions, "attention": attention, "shapes": shapes, "iterator": iterator}
