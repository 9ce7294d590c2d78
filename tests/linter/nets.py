"""Larger IRs without findings, written by the tests: their declared dims are the inferred ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irrun.document.writer import Writer, WrittenBody
from irrun.tensor.element_type import I64
from tests.nets import Net


def convolutions() -> Writer:
    """Return convolutions with batch normalisation, residual additions, pooling and a classifier."""
    net = Net("convolutions")
    x = net.parameter("image", "1,3,32,32")
    plain: Mapping[str, Any] = {"strides": (1, 1), "pads_begin": (1, 1), "pads_end": (1, 1), "dilations": (1, 1)}
    x = net.layer("Convolution", [x, net.zeros(8, 3, 3, 3)], **plain)
    for channels, stride in ((8, 1), (16, 2), (32, 2)):
        wide = int(x.fact.shape[1].lo)
        y = net.layer("ReLU", [net.layer("Add", [x, net.zeros(1, wide, 1, 1)])])
        y = net.layer("Convolution", [y, net.zeros(channels, wide, 3, 3)], **{**plain, "strides": (stride, stride)})
        y = net.layer("Clamp", [y], min=0.0, max=6.0)
        y = net.layer("Convolution", [y, net.zeros(channels, channels, 3, 3)], **plain)
        none: Mapping[str, Any] = {
            "strides": (stride, stride),
            "pads_begin": (0, 0),
            "pads_end": (0, 0),
            "dilations": (1, 1),
        }
        x = net.layer("Add", [y, net.layer("Convolution", [x, net.zeros(channels, wide, 1, 1)], **none)])
    pool: Mapping[str, Any] = {"strides": (2, 2), "pads_begin": (0, 0), "pads_end": (0, 0), "kernel": (2, 2)}
    x = net.layer("MaxPool", [x], **pool)
    x = net.layer("ReduceMean", [x, net.constant([2, 3])], keep_dims=False)
    x = net.layer("MatMul", [x, net.zeros(10, 32)], transpose_a=False, transpose_b=True)
    net.result(net.layer("SoftMax", [net.layer("Add", [x, net.zeros(1, 10)])], axis=1))
    return net.ir


def attention() -> Writer:
    """Return two blocks of a transformer: normalisation, attention with several heads, a feed-forward net."""
    net = Net("attention")
    x = net.parameter("tokens", "2,12,16")
    for _ in range(2):
        y = net.layer("MVN", [x, net.constant([2])], opset=6, normalize_variance=True, eps=1e-5, eps_mode="inside_sqrt")
        heads = []
        for _ in range(3):
            z = net.layer("MatMul", [y, net.zeros(16, 16)], transpose_a=False, transpose_b=True)
            z = net.layer("Reshape", [z, net.constant([0, 0, 4, 4])], special_zero=True)
            heads.append(net.layer("Transpose", [z, net.constant([0, 2, 1, 3])]))
        scores = net.layer("MatMul", [heads[0], heads[1]], transpose_a=False, transpose_b=True)
        scores = net.layer("Divide", [scores, net.constant(np.full(1, 2, dtype=np.float32))])
        scores = net.layer("SoftMax", [scores], opset=8, axis=-1)
        mixed = net.layer("MatMul", [scores, heads[2]], transpose_a=False, transpose_b=False)
        mixed = net.layer("Transpose", [mixed, net.constant([0, 2, 1, 3])])
        x = net.layer("Add", [x, net.layer("Reshape", [mixed, net.constant([0, 0, 16])], special_zero=True)])
        y = net.layer("MatMul", [x, net.zeros(64, 16)], transpose_a=False, transpose_b=True)
        y = net.layer("Gelu", [y], opset=7)
        y = net.layer("MatMul", [y, net.zeros(16, 64)], transpose_a=False, transpose_b=True)
        x = net.layer("Add", [x, y])
    parts = net.layers("Split", [x, net.constant(np.array(1))], 3, num_splits=3)
    net.result(net.layer("Concat", parts, axis=2))
    return net.ir


def shapes() -> Writer:
    """Return shape arithmetic: ShapeOf, Gather and Concat that feed Reshape, Broadcast, Tile, Slice and Pad."""
    net = Net("shapes")
    x = net.parameter("x", "2,3,4,5")
    shape = net.layer("ShapeOf", [x], opset=3, output_type="i64")
    zero = net.constant(np.array(0))
    first = net.layer("Gather", [shape, net.constant([0, 1]), zero], opset=8, batch_dims=0)
    last = net.layer("Gather", [shape, net.constant([2, 3]), zero], opset=8)
    rest = net.layer("ReduceProd", [last, net.constant([0])], keep_dims=True)
    flat = net.layer("Reshape", [x, net.layer("Concat", [first, rest], axis=0)], special_zero=False)
    net.result(net.layer("Tile", [flat, net.constant([1, 2, 1])]))
    target = net.layer("Concat", [net.constant([7]), shape], axis=0)
    net.result(net.layer("Broadcast", [x, target], opset=3, mode="numpy"))
    slices = [net.constant(values) for values in ([0, 1], [9, 3], [1, 1], [3, 2])]
    net.result(net.layer("Slice", [x, *slices], opset=8))
    pads = [net.constant(values) for values in ([0, 1, 2, 3], [3, 2, 1, 0])]
    net.result(net.layer("Pad", [x, *pads], opset=12, pad_mode="constant"))
    net.result(net.layer("Unsqueeze", [net.layer("Squeeze", [flat, net.constant([], I64)]), net.constant([0, -1])]))
    return net.ir


def iterator() -> Writer:
    """Return a TensorIterator over the rows of its input that carries a sum and concatenates the results."""
    net = Net("iterator")
    x, start = net.parameter("x", "5,2,4"), net.parameter("start", "1,2,4")
    inner = net.body()
    row, total = inner.parameter("row", "1,2,4"), inner.parameter("total", "1,2,4")
    grown = inner.layer("Add", [inner.layer("Tanh", [row]), total])
    doubled = inner.layer("Concat", [grown, grown], axis=2)
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
    joined = net.layer("TensorIterator", [x, start], "5,2,8", bodies={"body": body})
    net.result(net.layer("Sigmoid", [joined]))
    return net.ir


NETS = {"convolutions": convolutions, "attention": attention, "shapes": shapes, "iterator": iterator}
