"""Element types as OpenVINO's ``Type``."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np

from irrun.tensor import DYNAMIC, ElementType
from irrun.tensor.element_type import BY_NAME

_PYTHON: Final[dict[Any, str]] = {bool: "boolean", int: "i64", float: "f64", str: "string", bytes: "string"}
_DTYPES: Final = {
    "bool": "boolean",
    **{f"{kind}int{bits}": f"{kind or 'i'}{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
}
_C_NAMES: Final = {"f32": "float32", "f64": "double64", "f16": "float16", "bf16": "bfloat16", "boolean": "char"}
_QUANTIZED: Final = frozenset({"i8", "u8", "i4", "i32", "nf4", "f8e4m3", "f8e5m2"})
_STRING_BYTES: Final = 32
"""The size that OpenVINO states for an element of a string tensor."""


class Type:
    """An element type: ``Type.f32``, ``Type(numpy.float32)``. There is one object of each."""

    __slots__ = ("element",)

    f16: ClassVar[Type]
    f32: ClassVar[Type]
    f64: ClassVar[Type]
    bf16: ClassVar[Type]
    f4e2m1: ClassVar[Type]
    f8e4m3: ClassVar[Type]
    f8e5m2: ClassVar[Type]
    f8e8m0: ClassVar[Type]
    nf4: ClassVar[Type]
    i4: ClassVar[Type]
    i8: ClassVar[Type]
    i16: ClassVar[Type]
    i32: ClassVar[Type]
    i64: ClassVar[Type]
    u1: ClassVar[Type]
    u2: ClassVar[Type]
    u3: ClassVar[Type]
    u4: ClassVar[Type]
    u6: ClassVar[Type]
    u8: ClassVar[Type]
    u16: ClassVar[Type]
    u32: ClassVar[Type]
    u64: ClassVar[Type]
    boolean: ClassVar[Type]
    string: ClassVar[Type]
    dynamic: ClassVar[Type]

    element: ElementType

    def __new__(cls, dtype: Any) -> Type:
        """Return the type of a NumPy or Python type; TypeError where there is none."""
        if isinstance(dtype, int) or (isinstance(dtype, str) and dtype in BY_NAME):
            raise TypeError(f"Type takes a NumPy type, got {dtype!r}; types by name are attributes, such as Type.f32")
        return of_element(element_of(dtype))

    def get_type_name(self) -> str:
        """Return the name, such as f32."""
        return self.element.name

    def get_bitwidth(self) -> int:
        """Return the number of bits of an element."""
        return 8 * _STRING_BYTES if self.element.kind == "string" else self.element.bits

    def get_size(self) -> int:
        """Return the number of bytes of an element, at least 1 for types of less than a byte."""
        return (self.get_bitwidth() + 7) // 8

    to_string = get_type_name
    type_name: property = property(get_type_name)
    bitwidth: property = property(get_bitwidth)
    size: property = property(get_size)

    def is_static(self) -> bool:
        """Return whether the type is known."""
        return self.element.is_known

    def is_dynamic(self) -> bool:
        """Return whether the type is not known."""
        return not self.element.is_known

    def is_real(self) -> bool:
        """Return whether elements are floats."""
        return self.element.is_float and self.element.name != "nf4"

    def is_integral(self) -> bool:
        """Return whether elements are not floats."""
        return not self.is_real()

    def is_integral_number(self) -> bool:
        """Return whether elements are integers."""
        return self.is_integral() and self.element.kind != "boolean"

    def is_signed(self) -> bool:
        """Return whether elements may be negative."""
        return self.is_real() or self.element.kind in ("int", "boolean")

    def is_quantized(self) -> bool:
        """Return whether quantised values have the type."""
        return self.element.name in _QUANTIZED

    real: property = property(is_real)
    integral: property = property(is_integral)
    integral_number: property = property(is_integral_number)
    signed: property = property(is_signed)
    quantized: property = property(is_quantized)

    def compatible(self, other: Type) -> bool:
        """Return whether the types are equal, or one of them is not known."""
        return self is other or self.is_dynamic() or other.is_dynamic()

    def merge(self, other: Type) -> Type | None:
        """Return the type that both stand for; None where they differ."""
        if not self.compatible(other):
            return None
        return other if self.is_dynamic() else self

    def to_dtype(self) -> np.dtype[Any]:
        """Return the NumPy type of the data of a tensor; IndexError for the dynamic type."""
        element = self.element
        if not element.is_known:
            raise IndexError("the dynamic type has no NumPy type")
        if element.kind == "string":
            return np.dtype("S0")
        if element.name == "bf16":
            return np.dtype(np.float16)
        return np.dtype(np.uint8) if is_coded(element) and element.name != "i4" else element.external

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.element.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.element.name,)

    def __repr__(self) -> str:
        element = self.element
        if element.name == "nf4":
            return "<Type: 'nfloat4'>"
        name = f"{element.kind}{element.bits}_t" if element.is_integer else _C_NAMES.get(element.name, element.name)
        return f"<Type: '{name}'>"


def is_coded(element: ElementType) -> bool:
    """Return whether a tensor of the type holds codes instead of numbers."""
    return element.is_known and element.kind != "string" and (element.bits < 8 or element.name[:2] in ("f8", "nf"))


def of_element(element: ElementType) -> Type:
    """Return the Type of an element type."""
    return _OBJECTS[element.name]


def as_element(value: Any) -> ElementType:
    """Return the element type that a Type, a NumPy or Python type, or a name stands for; TypeError otherwise."""
    if isinstance(value, Type):
        return value.element
    if isinstance(value, ElementType):
        return value
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value]
    return DYNAMIC if value == "undefined" else BY_NAME[_name(value)]


def element_of(dtype: Any) -> ElementType:
    """Return the element type of a NumPy or Python type; RuntimeError where there is none, TypeError for no type."""
    return BY_NAME[_name(dtype)]


def _name(dtype: Any) -> str:
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    try:
        known = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{dtype!r} is not an element type") from None
    name = "string" if known.kind in "US" else _DTYPES.get(known.name)
    if name is None:
        raise RuntimeError(f"no element type holds elements of {known}")
    return name


def _named(name: str) -> Type:
    return _OBJECTS[name]


def _made(element: ElementType) -> Type:
    made = object.__new__(Type)
    made.element = element
    return made


_OBJECTS: Final = {name: _made(element) for name, element in BY_NAME.items()}
for _key, _type in _OBJECTS.items():
    setattr(Type, _key, _type)
