"""Rounding onto the grids of the narrow element types, and their bit codes.

A *code* is the bit pattern of one value, right-aligned in an unsigned integer: ``uint16`` for f16 and bf16, ``uint8``
for f8e4m3, f8e5m2, f8e8m0, nf4, f4e2m1, u1, u2, u3, u4, u6 and i4. Arrays are in the carrier dtype of the element
type: float32 for the narrow floats, uint8 for u1 to u6, int8 for i4.

Sources: IEEE 754 binary16; OCP 8-bit Floating Point Specification (E4M3 without infinities, E5M2); OCP Microscaling
Formats Specification (E2M1, E8M0); the 4-bit NormalFloat of QLoRA (Dettmers et al., 2023). Where those leave a choice
(overflow, NaN in a type without NaN) the element types of OpenVINO decide, as stated at `encode`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irrun.tensor.element_type import ElementType

_UNROUNDED = frozenset({"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "boolean", "string"})
_UNSIGNED_BITS = {"u1": 1, "u2": 2, "u3": 3, "u4": 4, "u6": 6}


@dataclass(frozen=True, slots=True)
class _Minifloat:
    """A floating-point format of one sign bit, exponent bits and mantissa bits.

    `overflow` and `nan` are the codes, without sign, of magnitudes above the largest finite one and of NaN.
    """

    exponent_bits: int
    mantissa_bits: int
    bias: int
    overflow: int
    nan: int

    def magnitudes(self) -> NDArray[np.float64]:
        """Return the value of each code without sign, decoding every exponent as that of a finite number."""
        codes = np.arange(1 << (self.exponent_bits + self.mantissa_bits))
        exponent, mantissa = codes >> self.mantissa_bits, codes & ((1 << self.mantissa_bits) - 1)
        significand = mantissa + np.where(exponent > 0, 1 << self.mantissa_bits, 0)
        values: NDArray[np.float64] = np.ldexp(significand, np.maximum(exponent, 1) - self.bias - self.mantissa_bits)
        return values


_MINIFLOATS = {
    "f8e4m3": _Minifloat(exponent_bits=4, mantissa_bits=3, bias=7, overflow=0x7F, nan=0x7F),
    "f8e5m2": _Minifloat(exponent_bits=5, mantissa_bits=2, bias=15, overflow=0x7C, nan=0x7E),
    "f4e2m1": _Minifloat(exponent_bits=2, mantissa_bits=1, bias=1, overflow=0x07, nan=0x07),
}

_E8M0: NDArray[np.float64] = np.ldexp(1.0, np.arange(255) - 127)

_NF4 = np.array(
    [
        *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
        *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
        *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
        *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
    ],
    np.float32,
)


def round_to(values: NDArray[Any], element_type: str) -> NDArray[Any]:
    """Round `values` once onto the grid of `element_type`, to nearest with ties to even, in the carrier dtype.

    The result has the shape of `values`. For types that are their own carrier, and for string, it is `values` itself.
    Overflow, NaN and sub-byte integers are handled as in `encode`. ValueError for an unknown element type, TypeError
    under the conditions of `encode`.
    """
    if element_type in _UNROUNDED:
        return values
    if element_type == "f16":
        return _decode_f16(_encode_f16(values))
    if element_type == "bf16":
        return _round_bf16(values).view(np.float32).reshape(values.shape)
    return decode(encode(values, element_type), element_type)


def encode(values: NDArray[Any], element_type: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return the codes of `values` rounded to `element_type`, in the shape of `values`.

    Rounding is to nearest, ties to even, with these exceptions:

    * f16, bf16, f8e5m2 overflow to infinity; f8e4m3 has none and overflows to NaN, also from infinity.
    * f4e2m1 saturates at ±6; NaN counts as an overflow of its sign.
    * f8e8m0 has neither sign nor zero: negative values and zero become 2^-127, infinity and finite values above
      2^127 become 2^127.
    * nf4 ties go to the lower value; it saturates at ±1, and NaN becomes -1.
    * Sub-byte integers wrap modulo 2^bits.

    ValueError for an element type without codes, TypeError for values that are not integers where `element_type` is an
    integer type.
    """
    if element_type == "f16":
        return _encode_f16(values).view(np.uint16)
    if element_type == "bf16":
        return (_round_bf16(values) >> 16).astype(np.uint16).reshape(values.shape)
    if element_type == "nf4":
        return _encode_nf4(values).reshape(values.shape)
    if element_type in _MINIFLOATS or element_type == "f8e8m0":
        return _encode_table(element_type).take(_upper_halves(values)).reshape(values.shape)
    return _encode_integer(values, element_type)


def decode(codes: NDArray[np.uint8] | NDArray[np.uint16], element_type: str) -> NDArray[Any]:
    """Return the values of `codes` in the carrier dtype, in the shape of `codes`; the inverse of `encode`.

    Codes of one-byte and sub-byte types must be below 2^bits. ValueError for an element type without codes.
    """
    if element_type == "f16":
        return _decode_f16(codes.astype(np.uint16, copy=False).view(np.float16))
    if element_type == "bf16":
        bits = codes.reshape(-1).astype(np.uint32)
        bits <<= 16
        return bits.view(np.float32).reshape(codes.shape)
    if element_type in _UNSIGNED_BITS:
        return codes.astype(np.uint8, copy=False)
    return _decode_table(element_type).take(codes.reshape(-1)).reshape(codes.shape)


@cache
def lowest(kind: ElementType) -> float:
    """Return the lowest finite value of an element type that has codes."""
    codes = np.arange(1 << kind.bits)
    values = decode(codes.astype(np.uint16) if kind.bits == 16 else codes.astype(np.uint8), kind.name)
    return float(values[np.isfinite(values)].min())


def _encode_f16(values: NDArray[Any]) -> NDArray[np.float16]:
    with np.errstate(all="ignore"):
        return np.asarray(_as_float(values).astype(np.float16))


def _decode_f16(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    with np.errstate(all="ignore"):
        return halves.astype(np.float32)


def _round_bf16(values: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the float32 bits of `values` rounded to bf16, flat; NaNs become quiet."""
    singles = _as_single(values)
    bits = singles.view(np.uint32)
    rounded = bits >> np.uint32(16)
    rounded &= 1
    rounded += 0x7FFF
    rounded += bits
    nan = np.isnan(singles)
    if nan.any():
        rounded[nan] = bits[nan] | 0x400000
    rounded &= 0xFFFF0000
    return rounded


def _encode_nf4(values: NDArray[Any]) -> NDArray[np.uint8]:
    flat = _as_float(values).reshape(-1)
    codes = np.zeros(flat.size, np.uint8)
    for midpoint in _nf4_midpoints(flat.dtype):
        codes += (flat > midpoint).view(np.uint8)
    return codes


def _encode_integer(values: NDArray[Any], element_type: str) -> NDArray[np.uint8]:
    bits = 4 if element_type == "i4" else _UNSIGNED_BITS.get(element_type)
    if bits is None:
        raise ValueError(f'no bit codes for element type "{element_type}"')
    if values.dtype.kind not in "biu":
        raise TypeError(f"{element_type} takes integers, got {values.dtype}")
    return np.asarray(values.astype(np.uint8) & np.uint8((1 << bits) - 1))


def _as_float(values: NDArray[Any]) -> NDArray[Any]:
    """Convert `values` to float32 or float64; integers to float64, so that rounding to a narrow type happens once."""
    if values.dtype in (np.float32, np.float64):
        return values
    with np.errstate(invalid="ignore"):
        return values.astype(np.float32 if values.dtype == np.float16 else np.float64)


def _as_single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Convert `values` to flat float32, rounding to odd.

    A value rounded to odd stays strictly between the same neighbours of every coarser grid, so that rounding it to that
    grid afterwards equals rounding once.
    """
    exact = _as_float(values).reshape(-1)
    if exact.dtype == np.float32:
        return exact
    with np.errstate(all="ignore"):
        singles = exact.astype(np.float32)
    bits = singles.view(np.uint32)
    bits -= np.abs(singles) > np.abs(exact)
    bits |= (singles < exact) | (singles > exact)
    return singles


def _upper_halves(values: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the upper 16 bits of the float32 bits of `values`, rounded to odd, flat."""
    bits = _as_single(values).view(np.uint32)
    upper = bits & np.uint32(0xFFFF)
    upper += 0xFFFF
    upper |= bits
    upper >>= 16
    return upper


@cache
def _encode_table(element_type: str) -> NDArray[np.uint8]:
    """Return the code of each float32 by its upper 16 bits, as `_upper_halves` computes them.

    Grid points and the midpoints between them have zeros in the lower 16 bits, so a value rounded to odd stays on the
    same side of each of them.
    """
    values = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):
        magnitudes = np.abs(values).astype(np.float64)
    if element_type == "f8e8m0":
        return _e8m0_codes(magnitudes, np.signbit(values))
    form = _MINIFLOATS[element_type]
    codes = np.minimum(_nearest_even(magnitudes, form.magnitudes()), form.overflow)
    codes[np.isnan(values)] = form.nan
    sign = np.signbit(values).astype(np.intp) << (form.exponent_bits + form.mantissa_bits)
    return np.asarray(codes | sign, np.uint8)


def _e8m0_codes(magnitudes: NDArray[np.float64], negative: NDArray[np.bool_]) -> NDArray[np.uint8]:
    codes = _nearest_even(magnitudes, _E8M0)
    codes[negative] = 0
    codes[np.isnan(magnitudes)] = 0xFF
    return codes.astype(np.uint8)


def _nearest_even(values: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the index of the point of the ascending `grid` nearest to each value; the even index on a tie."""
    midpoints = (grid[:-1] + grid[1:]) / 2
    below = np.searchsorted(midpoints, values, side="left")
    above = np.searchsorted(midpoints, values, side="right")
    return np.where(below % 2 == 0, below, above)


@cache
def _nf4_midpoints(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the thresholds above which the next nf4 value is nearer, in float64 or rounded down to float32."""
    exact = (_NF4[:-1].astype(np.float64) + _NF4[1:]) / 2
    if dtype == np.float64:
        return exact
    singles = exact.astype(np.float32)
    return np.where(singles > exact, np.nextafter(singles, np.float32(-np.inf)), singles)


@cache
def _decode_table(element_type: str) -> NDArray[Any]:
    if element_type == "nf4":
        return _NF4
    if element_type == "i4":
        return np.array([*range(8), *range(-8, 0)], np.int8)
    if element_type == "f8e8m0":
        return np.append(_E8M0, np.nan).astype(np.float32)
    if element_type not in _MINIFLOATS:
        raise ValueError(f'no bit codes for element type "{element_type}"')
    return _minifloat_values(element_type)


def _minifloat_values(element_type: str) -> NDArray[np.float32]:
    magnitudes = _MINIFLOATS[element_type].magnitudes().astype(np.float32)
    if element_type == "f8e4m3":
        magnitudes[0x7F] = np.nan
    if element_type == "f8e5m2":
        magnitudes[0x7C:] = [np.inf, np.nan, np.nan, np.nan]
    return np.concatenate([magnitudes, -magnitudes])
