"""Arrays on their way to other engines and back, in every element type.

Here, arrays have the NumPy type that the Python API of irrun has for an element type (`ElementType.external`). OpenVINO
and ONNX Runtime hold types that NumPy lacks as codes, in the layout of `irrun.tensor.packing`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BY_NAME
from irrun.tensor.packing import STORED_AS_CARRIED, unpack
from irrun.tensor.storing import pack

_PLAIN: Final = frozenset({*STORED_AS_CARRIED, "f16", "boolean"})
"""The element types whose arrays other engines hold as they are."""

_ONNX: Final[Mapping[str, tuple[str, int]]] = {
    "float": ("f32", 1),
    "double": ("f64", 11),
    "float16": ("f16", 10),
    "bfloat16": ("bf16", 16),
    "float8e4m3fn": ("f8e4m3", 17),
    "float8e5m2": ("f8e5m2", 19),
    "float8e8m0": ("f8e8m0", 24),
    "float4e2m1": ("f4e2m1", 23),
    "int4": ("i4", 22),
    "uint4": ("u4", 21),
    "uint2": ("u2", 25),
    "bool": ("boolean", 9),
    "string": ("string", 8),
    **{f"int{bits}": (f"i{bits}", code) for bits, code in ((8, 3), (16, 5), (32, 6), (64, 7))},
    **{f"uint{bits}": (f"u{bits}", code) for bits, code in ((8, 2), (16, 4), (32, 12), (64, 13))},
}
"""The element type, and the number in TensorProto, of each type in ``tensor(float)``."""


def to_openvino(ov: Any, array: Array, type: Any) -> Any:
    """Return a tensor of the package ``ov``, of an element type of it; it shares the memory of the array if it can.

    Values are rounded where the type cannot represent them. The array must live as long as the tensor, and as requests
    that were given it: OpenVINO keeps no reference to it.
    """
    wanted = BY_NAME[type.get_type_name()]
    if wanted.kind == "string":
        return ov.Tensor(array.astype("U"))
    if wanted.name in _PLAIN:
        plain = _in(array, wanted.external)
        return ov.Tensor(plain, shared_memory=plain is array)
    tensor = ov.Tensor(type, ov.Shape(array.shape))
    tensor.data.reshape(-1).view(np.uint8)[...] = np.frombuffer(_codes(array, wanted), np.uint8)
    return tensor


def from_openvino(tensor: Any) -> Array:
    """Return the values of a tensor of OpenVINO; they may share its memory."""
    kind = BY_NAME[tensor.element_type.get_type_name()]
    shape = tuple(tensor.shape)
    if kind.kind == "string":
        return np.array(tensor.str_data, dtype=object).reshape(shape)
    if kind.name in _PLAIN:
        found: Array = tensor.data
        return found
    return _values(tensor.data.tobytes(), kind, shape)


def run_onnx(ort: Any, session: Any, names: Sequence[str], inputs: Mapping[str, Array]) -> list[Array]:
    """Run a session of the package ``ort`` (ONNX Runtime), and return outputs by name.

    Values are rounded where the type of an input cannot represent them.
    """
    types = {port.name: _onnx_type(port.type) for port in session.get_inputs()}
    if any(kind.kind == "string" for kind, _ in types.values()):
        given = {name: _in(array, types[name][0].external) for name, array in inputs.items()}
        return [np.asarray(array) for array in session.run(list(names), given)]
    values = {name: _to_onnx(ort, array, *types[name]) for name, array in inputs.items()}
    return [_from_onnx(value) for value in session.run_with_ort_values(list(names), values)]


def _to_onnx(ort: Any, array: Array, kind: ElementType, code: int) -> Any:
    if kind.name in _PLAIN:
        return ort.OrtValue.ortvalue_from_numpy(_in(array, kind.external))
    value = ort.OrtValue.ortvalue_from_shape_and_type(list(array.shape), code, "cpu")
    codes = _codes(array, kind)
    ctypes.memmove(value.data_ptr(), codes, len(codes))
    return value


def _from_onnx(value: Any) -> Array:
    kind, _ = _onnx_type(value.data_type())
    if kind.name in _PLAIN or kind.kind == "string":
        return np.asarray(value.numpy())
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return _values(data, kind, tuple(value.shape()))


def _onnx_type(text: str) -> tuple[ElementType, int]:
    """Return the element type of ``tensor(float)``, and its number in TensorProto; ValueError for other values."""
    name, code = _ONNX.get(text.removeprefix("tensor(").removesuffix(")"), ("", 0))
    if name not in BY_NAME:
        raise ValueError(f"{text} is no tensor of an element type of the IR")
    return BY_NAME[name], code


def _in(array: Array, dtype: np.dtype[Any]) -> Array:
    with np.errstate(all="ignore"):
        return array.astype(dtype, order="C", copy=False)


def _codes(array: Array, kind: ElementType) -> bytes:
    return pack(_in(array, kind.dtype), kind.name)


def _values(data: bytes, kind: ElementType, shape: tuple[int, ...]) -> Array:
    count = int(np.prod(shape, dtype=np.int64))
    return _in(unpack(data, kind.name, count).reshape(shape), kind.external)
