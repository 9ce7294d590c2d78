"""Checks of calls on types, shapes, dimensions, layouts and tensors, as notebooks and guides make them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

from tests.openvino.comparing import Check


def _after(value: Any, *steps: Any) -> Any:
    for step in steps:
        step(value)
    return value


def _assigned(name: str, value: Any, make: Any) -> Check:
    """Return a check that assigns an attribute and returns it."""

    def check(ov: Any) -> Any:
        made = make(ov)
        setattr(made, name, value)
        return getattr(made, name)

    return check


def _strings(ov: Any, name: str, value: Any) -> Any:
    tensor = ov.Tensor(ov.Type.string, ov.Shape([2]))
    setattr(tensor, name, value)
    return [tensor.str_data.tolist(), tensor.bytes_data.tolist(), tensor.byte_size, tensor.size]


def _written(ov: Any, shared: bool, write: Any) -> Any:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = ov.Tensor(array, shared_memory=shared)
    write(tensor)
    return [array, tensor.data]


def _kept_alive(ov: Any) -> Any:
    return ov.Tensor(np.arange(4, dtype=np.int16), shared_memory=True).data


def _region_written(ov: Any) -> Any:
    whole = ov.Tensor(np.zeros((3, 4), np.float32))
    ov.Tensor(whole, ov.Coordinate([1, 1]), ov.Coordinate([3, 3])).copy_from(ov.Tensor(np.ones((2, 2), np.float32)))
    return whole.data


VALUES: dict[str, Check] = {
    "strings that are not UTF-8": lambda ov: (lambda tensor: [tensor.str_data.tolist(), tensor.bytes_data.tolist()])(
        ov.Tensor(np.array([b"\xe2\x80", b"a\xff\xf0b", "\u00e9".encode()]))
    ),
    "text of rank four": lambda ov: ov.PartialShape("1,3,?,1..10"),
    "text with spaces": lambda ov: ov.PartialShape(" [ 1 , 3 , ? ] "),
    "text of minus one": lambda ov: ov.PartialShape("[-1,3]"),
    "list of everything": lambda ov: ov.PartialShape([1, -1, (1, 10), "2..4", "?", ov.Dimension(3), None]),
    "list of open pair": lambda ov: ov.PartialShape([(1, -1), (-1, 5)]),
    "tuple of sizes": lambda ov: ov.PartialShape((1, 2)),
    "nothing": lambda ov: ov.PartialShape(),
    "number as shape": lambda ov: ov.PartialShape(5),
    "numpy integers": lambda ov: ov.PartialShape([np.int64(3), np.int32(4)]),
    "array of sizes": lambda ov: ov.PartialShape(np.array([3, 4])),
    "interval is dynamic": lambda ov: [ov.Dimension(1, 5).is_dynamic, ov.Dimension(1, 5).is_static],
    "any dimension": lambda ov: [ov.Dimension.dynamic(), ov.Dimension.dynamic().is_dynamic],
    "negative dimension": lambda ov: ov.Dimension(-2),
    "reversed interval": lambda ov: ov.Dimension(5, 2),
    "dimension with int": lambda ov: [ov.Dimension(3) == 3, ov.Dimension(3) == 3, ov.Dimension(3) != 4],
    "dimension in a list": lambda ov: ov.Dimension(3) in [1, 2, 3],
    "dimension to int": lambda ov: int(ov.Dimension(3)),
    "dimension plus int": lambda ov: ov.Dimension(3) + 1,
    "dimension order": lambda ov: ov.Dimension(3) < ov.Dimension(4),
    "sizes of partial shape": lambda ov: [dim.get_length() for dim in ov.PartialShape([1, 2, 3])],
    "lengths with unknown": lambda ov: [
        dim.get_length() if dim.is_static else -1 for dim in ov.PartialShape([1, -1, (2, 4)])
    ],
    "unpack shape": lambda ov: (lambda n, c, h, w: [n, c, h, w])(*ov.Shape([1, 3, 8, 9])),
    "unpack partial shape": lambda ov: (lambda n, c: [n, c])(*ov.PartialShape([1, -1])),
    "shape to list": lambda ov: [list(ov.Shape([1, 3])), tuple(ov.PartialShape([1, 3]).to_shape())],
    "shape plus list": lambda ov: [*ov.Shape([1, 3]), 2],
    "shape append": lambda ov: _after(ov.Shape([1, 3]), lambda s: s.append(4)),
    "shape hash": lambda ov: hash(ov.Shape([1, 2])) == hash(ov.Shape([1, 2])),
    "shape in": lambda ov: [3 in ov.Shape([1, 3]), 5 in ov.Shape([1, 3])],
    "shape of partial shape": lambda ov: ov.Shape(ov.PartialShape([1, 2])),
    "shape of numpy integers": lambda ov: ov.Shape([np.int64(3)]),
    "shape of floats": lambda ov: ov.Shape([1.5]),
    "shape reversed": lambda ov: list(reversed(ov.Shape([1, 2, 3]))),
    "copies of shapes": lambda ov: [
        copy.copy(ov.Shape([1])),
        copy.deepcopy(ov.Dimension(2, 3)),
        copy.copy(ov.Layout("NC")),
    ],
    "shape set slice": lambda ov: _after(ov.Shape([1, 2, 3]), lambda s: s.__setitem__(slice(0, 2), ov.Shape([7, 8]))),
    "shape of dim text": lambda ov: f"{ov.Shape([1, 2])} {ov.PartialShape([1, -1])} {ov.Dimension(1, 4)}",
    "empty shape repr": lambda ov: [repr(ov.Shape()), str(ov.PartialShape([])), repr(ov.PartialShape.dynamic())],
    "partial shape without rank": lambda ov: list(ov.PartialShape.dynamic()),
    "partial shape dynamic of minus one": lambda ov: [ov.PartialShape.dynamic(-1), ov.PartialShape.dynamic(0)],
    "partial shape append": lambda ov: _after(ov.PartialShape([1]), lambda s: s.append(4)),
    "partial shape hash": lambda ov: hash(ov.PartialShape([1])),
    "partial shape set text": lambda ov: _after(ov.PartialShape([1, 2]), lambda s: s.__setitem__(0, "2..3")),
    "partial shape set beyond": lambda ov: _after(ov.PartialShape([1, 2]), lambda s: s.__setitem__(4, 3)),
    "layout spaces": lambda ov: ov.Layout("[ N , C ]"),
    "layout to list": lambda ov: list(ov.Layout("NCHW")),
    "layout hash": lambda ov: len({ov.Layout("NCHW"): 1}),
    "layout number": lambda ov: ov.Layout(5),
    "layout set helper": lambda ov: _laid_out(ov),
    "type of list": lambda ov: ov.Type([1]),
    "type by string key": lambda ov: ov.Type.f32.to_dtype(),
    "type unknown name": lambda ov: ov.Type.f33,
    "type of half": lambda ov: [ov.Type(np.float16), ov.Type(np.half), ov.Type(np.bytes_), ov.Type(np.str_)],
    "type of complex": lambda ov: ov.Type(np.complex64),
    "type names": lambda ov: [str(ov.Type.f32), f"{ov.Type.i64}", ov.Type.boolean.get_type_name()],
    "pickles of types": lambda ov: pickle.loads(pickle.dumps([ov.Type.f32, ov.Shape([1, 2])])),
}


def _laid_out(ov: Any) -> Any:
    node = ov.opset13.parameter([1, 3, 2, 2], np.float32, name="x")
    ov.layout_helpers.set_layout(node.output(0), ov.Layout("NCHW"))
    return [ov.layout_helpers.get_layout(node.output(0)), node.layout]


TENSORS: dict[str, Check] = {
    "tensor shared writes": lambda ov: _written(ov, True, lambda t: t.data.__setitem__((0, 0), 9)),
    "tensor copied writes": lambda ov: _written(ov, False, lambda t: t.data.__setitem__((0, 0), 9)),
    "tensor fill all": lambda ov: _written(ov, True, lambda t: t.data.fill(4)),
    "tensor assign data": lambda ov: _written(ov, True, lambda t: setattr(t, "data", np.ones((2, 3)))),
    "tensor outlives array": _kept_alive,
    "tensor region written": _region_written,
    "tensor of float": lambda ov: ov.Tensor(3.5),
    "tensor of nested list": lambda ov: ov.Tensor([[1.0, 2.0], [3.0, 4.0]]).data,
    "tensor of bool list": lambda ov: ov.Tensor([True, False]).element_type,
    "tensor of python type": lambda ov: ov.Tensor(float, [2, 2]).element_type,
    "tensor of list shape": lambda ov: ov.Tensor(ov.Type.f32, [2, 2]).shape,
    "tensor of dtype shape": lambda ov: ov.Tensor(np.int8, (2, 2)).shape,
    "tensor of None": lambda ov: ov.Tensor(None),
    "tensor of nothing": lambda ov: ov.Tensor(),
    "tensor of dict": lambda ov: ov.Tensor({}),
    "tensor repr": lambda ov: [repr(ov.Tensor(np.zeros((1, 3), np.float32))), str(ov.Tensor([1]))],
    "tensor numpy": lambda ov: np.asarray(ov.Tensor(np.arange(3, dtype=np.int32)).data) + 1,
    "tensor read only": lambda ov: _read_only(ov),
    "tensor equality": lambda ov: ov.Tensor([1]) == ov.Tensor([1]),
    "tensor length": lambda ov: len(ov.Tensor([1, 2])),
    "tensor item": lambda ov: ov.Tensor([1, 2])[0],
    "tensor copy misfit": lambda ov: ov.Tensor(ov.Type.f32, [2]).copy_from(ov.Tensor(np.zeros(2, np.int8))),
    "tensor copy other shape": lambda ov: _copied_larger(ov),
    "tensor copy array": lambda ov: ov.Tensor(ov.Type.f32, [2]).copy_from(np.zeros(2, np.float32)),
    "tensor shape larger": _assigned("shape", [4, 4], lambda ov: ov.Tensor(ov.Type.f32, [2, 3])),
    "tensor set shape call": lambda ov: (
        _after(ov.Tensor(ov.Type.f32, [2, 3]), lambda t: t.set_shape([6, 1])).data.shape
    ),
    "tensor set shape object": lambda ov: (
        _after(ov.Tensor(ov.Type.f32, [2, 3]), lambda t: t.set_shape(ov.Shape([1, 6]))).shape
    ),
    "tensor set shape of shared": lambda ov: _after(
        ov.Tensor(np.zeros(2, np.float32), shared_memory=True), lambda t: t.set_shape([9])
    ),
    "tensor string list": lambda ov: _strings(ov, "str_data", ["text", "ünï"]),
    "tensor string array": lambda ov: _strings(ov, "str_data", np.array(["a", "b"])),
    "tensor bytes list": lambda ov: _strings(ov, "bytes_data", [b"x", b"yz"]),
    "tensor string wrong count": lambda ov: _strings(ov, "str_data", ["a", "b", "c"]),
    "tensor strings of numbers": lambda ov: _strings(ov, "str_data", [1, 2]),
    "tensor string matrix": lambda ov: ov.Tensor(np.array([["a", "b"], ["c", "d"]])).str_data,
    "tensor string data": lambda ov: ov.Tensor(["a"]).data,
    "tensor u4 of array": lambda ov: ov.Tensor(np.array([0x21], np.uint8), [2], ov.Type.u4).data,
    "tensor bf16 of array": lambda ov: ov.Tensor(np.array([1, 2], np.uint16), [2], ov.Type.bf16).data.dtype,
    "tensor of other type": lambda ov: ov.Tensor(np.zeros(4, np.uint8), [2], ov.Type.f16).shape,
    "tensor u1": lambda ov: [
        ov.Tensor(ov.Type.u1, [9]).byte_size,
        ov.Tensor(ov.Type.u1, [9]).data.shape,
        ov.Tensor(ov.Type.nf4, [3]).byte_size,
    ],
    "tensor scalar": lambda ov: [ov.Tensor(ov.Type.f32, []).size, ov.Tensor(ov.Type.f32, ov.Shape()).data.shape],
    "tensor fortran order": lambda ov: ov.Tensor(np.asfortranarray(np.arange(6).reshape(2, 3))).data,
    "tensor every second": lambda ov: ov.Tensor(np.arange(6, dtype=np.int8)[::2]).data,
    "tensor big endian": lambda ov: ov.Tensor(np.arange(3, dtype=">i4")).data,
    "tensor zero size": lambda ov: [ov.Tensor(np.zeros((0,), np.float32)).size, ov.Tensor(ov.Type.i8, [0, 2]).data],
    "tensor 16 dims": lambda ov: ov.Tensor(np.zeros((1,) * 16, np.float32)).shape,
    "tensor deep copy is own": lambda ov: _deep(ov),
    "tensor unknown attribute": lambda ov: ov.Tensor([1]).nothing,
    "tensor of int64 default": lambda ov: [ov.Tensor([1]).element_type, ov.Tensor([1.0]).element_type],
}


def _read_only(ov: Any) -> Any:
    array = np.arange(3)
    array.flags.writeable = False
    tensor = ov.Tensor(array, shared_memory=True)
    return [tensor.data, tensor.data.flags.writeable]


def _copied_larger(ov: Any) -> Any:
    target = ov.Tensor(ov.Type.f32, [2])
    target.copy_from(ov.Tensor(np.zeros((2, 2), np.float32)))
    return target.shape


def _deep(ov: Any) -> Any:
    one = ov.Tensor(np.zeros(2, np.float32))
    other = copy.deepcopy(one)
    other.data[:] = 1
    return [one.data, other.data]


CHECKS: dict[str, Check] = {f"value, {name}": check for name, check in {**VALUES, **TENSORS}.items()}
