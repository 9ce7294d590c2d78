"""Arrays with an element type and a shape, as OpenVINO's ``Tensor``."""

from __future__ import annotations

import math
import os
import warnings
from typing import Any, Final

import numpy as np

from irrun.openvino.values.shapes import Coordinate, Shape, Strides
from irrun.openvino.values.types import Type, as_element, element_of, is_coded, of_element
from irrun.tensor import Array, ElementType
from irrun.tensor.packing import storage_size, unpack
from irrun.tensor.storing import pack

_NOT_SHARED: Final = "SHARED MEMORY MODE FOR THIS TENSOR IS NOT APPLICABLE!"
_NO_BYTES: Final = "for types with bitwidths less then 8 bit. Elements share bytes"


class Tensor:
    """An array in memory of its own, or shared with a NumPy array.

    Elements of less than a byte are packed: ``data`` is then flat and holds bytes. Elements of bf16 are two bytes that
    NumPy shows as float16, those of f8 are codes.
    """

    __slots__ = ("_data", "_element", "_owner", "_shape")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        given = dict(zip(_parameters(arguments, named), arguments, strict=False)) | named
        self._owner: Any = None
        self._data: Array
        if "port" in given:
            given = _at_port(given)
        if not {"other", "array"} & set(given) and not {"type", "shape"} <= set(given):
            raise TypeError("a Tensor is made of an array, of a type and a shape, or of another Tensor")
        if "other" in given:
            other = given["other"]
            begin, end = given.get("begin", Coordinate()), given.get("end", Coordinate())
            if other._element.bits < 8:
                raise RuntimeError(f"no part of a tensor of {other._element}: {_NO_BYTES}")
            self._element, self._owner = other._element, other
            self._data = other._data[tuple(slice(a, b) for a, b in zip(begin, end, strict=True))]
            self._shape = self._data.shape
        elif "array" in given:
            self._from_array(given["array"], given)
        else:
            self._element = as_element(given["type"])
            self._shape = tuple(Shape(given["shape"]))
            self._data = _empty(self._element, self._shape)

    def _from_array(self, array: Any, given: dict[str, Any]) -> None:
        if (not isinstance(array, list | tuple) and not hasattr(array, "__array_interface__")) or np.isscalar(array):
            raise TypeError(f"a Tensor is made of an array, a list or a type and a shape, got {array!r}")
        shared = bool(given.get("shared_memory", False))
        whole = np.asarray(array)
        whole = whole if whole.dtype.isnative else whole.astype(whole.dtype.newbyteorder("="))
        own = element_of(whole.dtype) if whole.dtype != object else as_element("string")
        self._element = as_element(given["type"]) if "type" in given else own
        self._shape = tuple(Shape(given["shape"])) if "shape" in given else whole.shape
        if self._element.kind == "string":
            if shared:
                raise RuntimeError(
                    "SHARED MEMORY MODE FOR THIS TENSOR IS NOT APPLICABLE! String types can be only copied."
                )
            self._data = _strings(whole)
            return
        if shared and not whole.flags.c_contiguous:
            what = "the array is not contiguous; copy it, or leave out shared_memory"
            raise RuntimeError(f"{_NOT_SHARED} {what}")
        if shared and not whole.flags.writeable:
            raise ValueError("the array is not writable and cannot be shared; copy it, or leave out shared_memory")
        flat = whole if shared else np.array(whole, order="C")
        if "type" in given or "shape" in given:
            flat = _reinterpreted(flat, self._element, self._shape)
        self._data = flat
        self._owner = array if shared else None

    @staticmethod
    def of_values(values: Array, element: ElementType) -> Tensor:
        """Return a tensor of an array as the runtime returns it, without copying it where the elements are numbers."""
        if not is_raw(element):
            return _made(values, element, values.shape)
        packed = bytearray(pack(values.reshape(-1), element.name))
        data = np.frombuffer(packed, of_element(element).to_dtype())
        return _made(data if element.bits < 8 else data.reshape(values.shape), element, values.shape)

    def values(self) -> Array:
        """Return the elements as numbers or strings, as the runtime accepts them."""
        if not is_raw(self._element):
            return self._data
        raw = np.ascontiguousarray(self._data).view(np.uint8).reshape(-1)
        return unpack(raw, self._element.name, math.prod(self._shape)).reshape(self._shape)

    def get_element_type(self) -> Type:
        """Return the type of the elements."""
        return of_element(self._element)

    def get_shape(self) -> Shape:
        """Return the sizes."""
        return Shape(self._shape)

    def set_shape(self, value: Any) -> None:
        """Set the sizes, and keep the elements that fit; RuntimeError where shared memory is too small."""
        sizes = tuple(Shape(value))
        if self._owner is not None and math.prod(sizes) > math.prod(self._shape):
            what = f"a tensor in shared memory of shape {self.shape} cannot grow to {Shape(sizes)}"
            raise RuntimeError(f"set_shape failed: {what}")
        count = math.prod(sizes)
        flat = self._data.reshape(-1)
        fits = self._element.bits >= 8 and count <= flat.size and self._element.kind != "string"
        self._data = flat[:count].reshape(sizes) if fits else _empty(self._element, sizes)
        self._shape = sizes

    def get_size(self) -> int:
        """Return the number of elements."""
        return math.prod(self._shape)

    def get_byte_size(self) -> int:
        """Return the number of bytes."""
        if self._element.kind == "string":
            return self.get_element_type().get_size() * self.get_size()
        return storage_size(self._element.name, self.get_size())

    def get_strides(self) -> Strides:
        """Return the distances of neighbours along each axis, in bytes."""
        if self._element.bits < 8:
            raise RuntimeError(f"Could not get strides {_NO_BYTES}")
        return Strides(self._data.strides)

    element_type: property = property(get_element_type)
    shape: property = property(get_shape, set_shape)
    size: property = property(get_size)
    byte_size: property = property(get_byte_size)
    strides: property = property(get_strides)

    def is_continuous(self) -> bool:
        """Return whether the elements are in one block of memory, in order."""
        return bool(self._data.flags.c_contiguous)

    @property
    def data(self) -> Array:
        """The elements, in the memory of the tensor; for strings a copy as bytes."""
        if self._element.kind == "string":
            what = "Data of string type will be copied! Please use dedicated properties str_data and bytes_data"
            warnings.warn(what, RuntimeWarning, stacklevel=2)
            return self.bytes_data
        return self._data

    @property
    def str_data(self) -> Array:
        """A copy of the strings, with U+FFFD for bytes that are not UTF-8; ``bytes_data`` has the bytes."""
        self._require_strings()
        flat = [_utf8(item).decode("utf-8", "replace") for item in self._data.reshape(-1).tolist()]
        return np.array(flat, dtype=np.str_).reshape(self._shape)

    @str_data.setter
    def str_data(self, value: Any) -> None:
        self._require_strings()
        strings = np.asarray(value)
        if strings.dtype.kind not in "USO":
            raise RuntimeError(f"Unknown string kind passed to fill the Tensor's data! Got {strings.dtype}")
        if strings.size != self.size:
            what = "Passed array must have the same size (number of elements) as the Tensor!"
            raise RuntimeError(f"{what} Got {strings.size}, expected {self.size}")
        self._data = _strings(strings).reshape(self._shape)

    @property
    def bytes_data(self) -> Array:
        """A copy of the strings in UTF-8."""
        self._require_strings()
        flat = [_utf8(item) for item in self._data.reshape(-1).tolist()]
        return np.array(flat, dtype=np.bytes_).reshape(self._shape)

    @bytes_data.setter
    def bytes_data(self, value: Any) -> None:
        self.str_data = value

    def _require_strings(self) -> None:
        if self._element.kind != "string":
            raise RuntimeError(f"a tensor of {self._element} holds no strings")

    def copy_from(self, source_tensor: Tensor | Array) -> None:
        """Take the elements of a tensor or array of the same type, and its shape."""
        other = source_tensor if isinstance(source_tensor, Tensor) else Tensor(source_tensor)
        if other._element is not self._element:
            raise RuntimeError(f"a tensor of {self._element} cannot take elements of {other._element}")
        if other._shape != self._shape:
            self.shape = other._shape
        self._data[...] = other._data

    def copy_to(self, target_tensor: Tensor) -> None:
        """Copy the elements and the shape to a tensor of the same type; RuntimeError for another type."""
        target_tensor.copy_from(self)

    def __copy__(self) -> Tensor:
        return _made(self._data, self._element, self._shape, self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return _made(self._data.copy(), self._element, self._shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.data, dtype=dtype, copy=copy)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._data, self._element, self._shape)

    def __repr__(self) -> str:
        return f"<Tensor: shape{self.shape} type: {self._element.name}>"


class TensorVector(list[Tensor]):
    """Tensors, as the methods of operations take and return them."""


def tensor_from_file(path: str | os.PathLike[str]) -> Tensor:
    """Return the bytes of a file as a tensor of u8; FileNotFoundError where there is none."""
    return Tensor(np.fromfile(path, np.uint8))


def is_raw(element: ElementType) -> bool:
    """Return whether a tensor stores bits of the element type that NumPy does not know."""
    return is_coded(element) or element.name == "bf16"


def _parameters(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of positional arguments, which their types tell."""
    first = arguments[0] if arguments else None
    if isinstance(first, Tensor) or "other" in named:
        return ("other", "begin", "end")
    if hasattr(first, "get_partial_shape"):
        return ("port", "array", "shared_memory")
    if isinstance(first, str | type | Type | np.dtype) or (not arguments and "array" not in named):
        return ("type", "shape")
    second = arguments[1] if len(arguments) > 1 else None
    return ("array", "shared_memory") if isinstance(second, bool) else ("array", "shape", "type")


def _at_port(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a tensor with the type and the smallest shape of a port, or of an array for it."""
    port = given["port"]
    type, shape = port.get_element_type(), port.get_partial_shape()
    if "array" not in given:
        return {"type": type, "shape": shape.get_min_shape() if shape.rank.is_static else [0]}
    array = np.asarray(given["array"])
    if element_of(array.dtype) is not type.element:
        warnings.warn(f"the array is {array.dtype}, the port {type.get_type_name()}", RuntimeWarning, stacklevel=3)
    if shape.is_static and math.prod(shape.to_shape()) > array.size:
        raise RuntimeError(f"Shape of the port exceeds shape of the array. {shape} and {Shape(array.shape)}")
    if shape.is_dynamic or tuple(shape.to_shape()) != array.shape:
        warnings.warn(f"the array has shape {array.shape}, the port {shape}", RuntimeWarning, stacklevel=3)
    made = {"array": given["array"], "shared_memory": given.get("shared_memory", False)}
    return made | {"shape": shape.to_shape() if shape.is_static else [0], "type": type}


def _made(data: Array, element: ElementType, shape: tuple[int, ...], owner: Any = None) -> Tensor:
    made = object.__new__(Tensor)
    made._data, made._element, made._shape, made._owner = data, element, shape, owner
    return made


def _empty(element: ElementType, shape: tuple[int, ...]) -> Array:
    if element.kind == "string":
        return np.full(shape, "", dtype=object)
    dtype = of_element(element).to_dtype()
    return np.zeros(storage_size(element.name, math.prod(shape)) if element.bits < 8 else shape, dtype)


def _reinterpreted(array: Array, element: ElementType, shape: tuple[int, ...]) -> Array:
    needed = storage_size(element.name, math.prod(shape))
    if array.nbytes < needed:
        raise RuntimeError(f"the array has {array.nbytes} bytes, expected {needed} for {element}{Shape(shape)}")
    flat = array.reshape(-1).view(np.uint8)[:needed].view(of_element(element).to_dtype())
    return flat if element.bits < 8 else flat.reshape(shape)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _strings(array: Array) -> Array:
    made = np.empty(array.shape, dtype=object)
    items = array.reshape(-1).tolist()
    made.reshape(-1)[:] = [i.decode("utf-8", "surrogateescape") if isinstance(i, bytes) else str(i) for i in items]
    return made
