"""Arrays over memory of every element type, by the number of the type."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun_kernels.native import POINTERS, carray, floats, inlined, longs, octets, shorts

KINDS: Final = ("float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
"""NumPy's names of the element types; booleans are bytes."""

F32, F64, I8, U8, I16, U16, I32, U32, I64 = range(len(KINDS))


unsigned: Final = np.uint64
"""The type of an index that may be negative: Numba takes negative ones for distances from the end."""


_doubles, _signed_octets, _signed_shorts, _signed_words, _words = (POINTERS[kind] for kind in "dbhiI")


@inlined
def doubles(address: int, count: int) -> Any:
    """An array over memory that holds f64."""
    return carray(_doubles(address), count)


@inlined
def signed_octets(address: int, count: int) -> Any:
    """An array over memory that holds i8."""
    return carray(_signed_octets(address), count)


@inlined
def signed_shorts(address: int, count: int) -> Any:
    """An array over memory that holds i16."""
    return carray(_signed_shorts(address), count)


@inlined
def signed_words(address: int, count: int) -> Any:
    """An array over memory that holds i32."""
    return carray(_signed_words(address), count)


@inlined
def words(address: int, count: int) -> Any:
    """An array over memory that holds u32."""
    return carray(_words(address), count)


@inlined
def load(kind: int, x: int, step: int, out: Any) -> None:
    """Read elements, ``step`` of them apart, into an array of a type that holds them all."""
    reach = 1 << 40
    if kind == F32:
        _assign(out, floats(x, reach), step)
    elif kind == F64:
        _assign(out, doubles(x, reach), step)
    elif kind == I8:
        _assign(out, signed_octets(x, reach), step)
    elif kind == U8:
        _assign(out, octets(x, reach), step)
    elif kind == I16:
        _assign(out, signed_shorts(x, reach), step)
    elif kind == U16:
        _assign(out, shorts(x, reach), step)
    elif kind == I32:
        _assign(out, signed_words(x, reach), step)
    elif kind == U32:
        _assign(out, words(x, reach), step)
    else:
        _assign(out, longs(x, reach), step)


@inlined
def _assign(out: Any, x: Any, step: int) -> None:
    if step == 1:
        for i in range(len(out)):
            out[i] = x[i]
    else:
        for i in range(len(out)):
            out[i] = x[unsigned(i * step)]


@inlined
def store(kind: int, x: Any, out: int, step: int) -> None:
    """Write an array as elements of a type, ``step`` of them apart; integers wrap around."""
    reach = 1 << 40
    if kind == F32:
        _spread(floats(out, reach), x, step)
    elif kind == F64:
        _spread(doubles(out, reach), x, step)
    elif kind in (I8, U8):
        _spread(octets(out, reach), x, step)
    elif kind in (I16, U16):
        _spread(shorts(out, reach), x, step)
    elif kind in (I32, U32):
        _spread(words(out, reach), x, step)
    else:
        _spread(longs(out, reach), x, step)


@inlined
def _spread(out: Any, x: Any, step: int) -> None:
    if step == 1:
        for i in range(len(x)):
            out[i] = x[i]
    else:
        for i in range(len(x)):
            out[unsigned(i * step)] = x[i]


def kind_of(dtype: np.dtype[Any]) -> int | None:
    """Return the number of an element type; None for others."""
    name = "uint8" if dtype == np.bool_ else dtype.name
    return KINDS.index(name) if name in KINDS else None
