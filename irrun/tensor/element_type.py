"""Element types: their names in an IR, their width, and the NumPy type that carries their values."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

Kind = Literal["float", "int", "uint", "boolean", "string", "dynamic"]


class ElementType:
    """An element type of the IR.

    ``name`` is its spelling in ``<data element_type="f32">``, ``precision`` in
    ``<port precision="FP32">``. ``dtype`` is the carrier: the NumPy type of its values while a model runs. Floats below
    32 bits are carried as float32 restricted to their own grid, integers below 8 bits in 8 bits, strings as objects.
    ``external`` is the NumPy type at the Python API. ``is_narrow`` is true where the carrier can hold values that the
    type cannot, so that results must be rounded.
    """

    __slots__ = ("bits", "dtype", "external", "is_narrow", "kind", "name", "precision")

    def __init__(self, name: str, precision: str, kind: Kind, bits: int, dtype: Any, external: Any = None) -> None:
        self.name: Final = name
        self.precision: Final = precision
        self.kind: Final[Kind] = kind
        self.bits: Final = bits
        self.dtype: Final[np.dtype[Any]] = np.dtype(dtype)
        self.external: Final[np.dtype[Any]] = np.dtype(external if external is not None else dtype)
        self.is_narrow: Final = kind in ("float", "int", "uint") and bits < 8 * self.dtype.itemsize

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple[Any, ...]:
        return ElementType.named, (self.name,)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_known(self) -> bool:
        return self.kind != "dynamic"

    def get_type_name(self) -> str:
        """Return the name; the counterpart of OpenVINO's ``Type.get_type_name``."""
        return self.name

    def to_dtype(self) -> np.dtype[Any]:
        """Return the NumPy type of a tensor of this type at the Python API."""
        return self.external

    @staticmethod
    def named(name: str) -> ElementType:
        """Return the type called ``name`` in an attribute; KeyError where there is none."""
        return BY_NAME[name]


F64 = ElementType("f64", "FP64", "float", 64, "float64")
F32 = ElementType("f32", "FP32", "float", 32, "float32")
F16 = ElementType("f16", "FP16", "float", 16, "float32", "float16")
BF16 = ElementType("bf16", "BF16", "float", 16, "float32")
F8E4M3 = ElementType("f8e4m3", "F8E4M3", "float", 8, "float32")
F8E5M2 = ElementType("f8e5m2", "F8E5M2", "float", 8, "float32")
F8E8M0 = ElementType("f8e8m0", "F8E8M0", "float", 8, "float32")
NF4 = ElementType("nf4", "NF4", "float", 4, "float32")
F4E2M1 = ElementType("f4e2m1", "F4E2M1", "float", 4, "float32")
I64 = ElementType("i64", "I64", "int", 64, "int64")
I32 = ElementType("i32", "I32", "int", 32, "int32")
I16 = ElementType("i16", "I16", "int", 16, "int16")
I8 = ElementType("i8", "I8", "int", 8, "int8")
I4 = ElementType("i4", "I4", "int", 4, "int8")
U64 = ElementType("u64", "U64", "uint", 64, "uint64")
U32 = ElementType("u32", "U32", "uint", 32, "uint32")
U16 = ElementType("u16", "U16", "uint", 16, "uint16")
U8 = ElementType("u8", "U8", "uint", 8, "uint8")
U6 = ElementType("u6", "U6", "uint", 6, "uint8")
U4 = ElementType("u4", "U4", "uint", 4, "uint8")
U3 = ElementType("u3", "U3", "uint", 3, "uint8")
U2 = ElementType("u2", "U2", "uint", 2, "uint8")
U1 = ElementType("u1", "BIN", "uint", 1, "uint8")
BOOLEAN = ElementType("boolean", "BOOL", "boolean", 8, "bool")
STRING = ElementType("string", "STRING", "string", 0, "object")
DYNAMIC = ElementType("dynamic", "UNSPECIFIED", "dynamic", 0, "object")

FLOAT: Final = frozenset({F64, F32, F16, BF16, F8E4M3, F8E5M2, F8E8M0, NF4, F4E2M1})
SIGNED: Final = frozenset({I64, I32, I16, I8, I4})
UNSIGNED: Final = frozenset({U64, U32, U16, U8, U6, U4, U3, U2, U1})
INTEGER: Final = SIGNED | UNSIGNED
NUMERIC: Final = FLOAT | INTEGER
ANY: Final = NUMERIC | {BOOLEAN, STRING}

_WIDEST_FIRST: Final = (*sorted(ANY, key=lambda kind: (-kind.bits, kind.name)), DYNAMIC)

BY_NAME: Final = {kind.name: kind for kind in _WIDEST_FIRST}
BY_PRECISION: Final = {
    **{kind.precision: kind for kind in _WIDEST_FIRST},
    "U1": U1,
    "BOOLEAN": BOOLEAN,
    "DYNAMIC": DYNAMIC,
    "UNDEFINED": DYNAMIC,
}
REFUSED_PRECISIONS: Final = frozenset({"BOOLEAN", "DYNAMIC", "UNDEFINED"})
"""Words for a precision that OpenVINO ignores at an input port and refuses at an output port."""

_CARRIERS: Final = {"bool": "boolean", "object": "string"}


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Return the name of a NumPy type, as that of an element type: f32, u8, boolean."""
    return _CARRIERS.get(dtype.name) or f"{dtype.kind}{8 * dtype.itemsize}"
