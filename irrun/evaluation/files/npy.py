"""Reads .npy data whose header is judged before anything is allocated; nothing in it is evaluated."""

from __future__ import annotations

import math
import re
import sys
from typing import IO, Final, NamedTuple

import numpy as np

from irrun.diagnostics import amount
from irrun.diagnostics.requests import RequestError
from irrun.diagnostics.sizes import bytes_text
from irrun.tensor import Array

MAGIC: Final = b"\x93NUMPY"
LONGEST_HEADER: Final = 10_000
PIECE: Final = 1 << 24

_VERSIONS: Final = {(1, 0): 2, (2, 0): 4, (3, 0): 4}
"""Bytes of the length of the header, by version of the format."""

_SIZE: Final = r"\d{1,19}L?"
_HEADER: Final = re.compile(
    r"\{ ?(?:(?:'descr' ?: ?'(?P<descr>[<>|=]?[A-Za-z]\d{0,9}(?:\[\w{1,9}\])?)'"
    r"|'fortran_order' ?: ?(?P<fortran>True|False)"
    rf"|'shape' ?: ?\((?P<shape>(?: ?{_SIZE} ?,)*(?: ?{_SIZE})?) ?\))(?: ?, ?| ?(?=\}}))){{3}}\}}",
    re.ASCII,
)
"""The header of an array, with white space collapsed."""

_PICKLED: Final = re.compile(r"'descr' ?: ?'\|?O")


class Header(NamedTuple):
    """The type, the order and the shape of an array."""

    dtype: np.dtype[np.generic]
    fortran: bool
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def read(file: IO[bytes], length: int, where: str, budget: int | None = None) -> Array:
    """Read an array from ``.npy`` data of ``length`` bytes; RequestError where they are not what the header says.

    Nor may the array take more than ``budget`` bytes.
    """
    header, used = _header(file, where)
    left = length - used
    if header.size > left:
        shape = f"[{','.join(map(str, header.shape))}]"
        raise RequestError(
            f"{where} cannot be read: {header.dtype}{shape} takes {header.size} bytes, and {left} follow"
        )
    if header.size < left:
        raise RequestError(
            f"{where} cannot be read: {amount(left - header.size, 'byte')} after the array, expected none"
        )
    if budget is not None and header.size > budget:
        left_over = bytes_text(max(budget, 0))
        raise RequestError(
            f"{where} takes {bytes_text(header.size)}, the budget leaves {left_over}; --max-memory raises it"
        )
    data = bytearray()
    while len(data) < header.size:
        piece = file.read(min(PIECE, header.size - len(data)))
        if not piece:
            raise RequestError(
                f"{where} cannot be read: {amount(len(data), 'byte')} after the header, expected {header.size}"
            )
        data += piece
    if header.dtype.kind == "U":
        _check_text(data, header.dtype, where)
    array = np.frombuffer(data, header.dtype)
    return array.reshape(header.shape, order="F" if header.fortran else "C")


def _header(file: IO[bytes], where: str) -> tuple[Header, int]:
    start = file.read(8)
    width = _VERSIONS.get((start[6], start[7])) if len(start) == 8 and start[:6] == MAGIC else None
    if width is None:
        raise RequestError(f"{where} cannot be read: expected the start of an .npy file, version 1.0 to 3.0")
    length = int.from_bytes(file.read(width), "little")
    if length > LONGEST_HEADER:
        raise RequestError(f"{where} cannot be read: its header has {length} bytes, expected at most {LONGEST_HEADER}")
    text = file.read(length).decode("latin-1")
    if len(text) < length:
        raise RequestError(f"{where} cannot be read: it ends too early")
    text = " ".join(text.split())
    if _PICKLED.search(text) is not None:
        raise RequestError(_pickled(where))
    match = _HEADER.fullmatch(text)
    if match is None or None in (match["descr"], match["fortran"], match["shape"]):
        raise RequestError(f"{where} cannot be read: its header is not that of an array of numbers, booleans or text")
    return Header(_dtype(match["descr"], where), match["fortran"] == "True", _shape(match["shape"], where)), (
        8 + width + length
    )


def _check_text(data: bytearray, dtype: np.dtype[np.generic], where: str) -> None:
    """Raise RequestError where text holds a number that is not a code point."""
    codes = np.frombuffer(data, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    if codes.size and codes.max() > sys.maxunicode:
        raise RequestError(f"{where} cannot be read: its text holds {codes.max()}, expected code points up to U+10FFFF")


def _pickled(where: str) -> str:
    return (
        f"{where} holds Python objects (pickled), which are never loaded; "
        "save numbers as numbers, and text as a NumPy text array, array.astype(str)"
    )


def _dtype(text: str, where: str) -> np.dtype[np.generic]:
    try:
        dtype = np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or not dtype.itemsize:
        raise RequestError(f'{where} cannot be read: there is no type "{text}"')
    return dtype


def _shape(text: str, where: str) -> tuple[int, ...]:
    sizes = tuple(int(size) for size in re.findall(r"\d+", text))
    if len(sizes) > 64:
        raise RequestError(f"{where} cannot be read: it has {len(sizes)} axes, expected at most 64")
    return sizes
