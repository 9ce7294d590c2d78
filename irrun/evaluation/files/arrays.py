"""Reads arrays from untrusted files: headers are judged before anything is allocated, and nothing is evaluated."""

from __future__ import annotations

import math
import os
import re
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple

import numpy as np

from irrun.diagnostics import amount
from irrun.diagnostics.requests import RequestError
from irrun.diagnostics.sizes import bytes_text
from irrun.document.files import opened
from irrun.runtime.budget import default_memory
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

_ZIP: Final = b"PK\x03\x04"
_EMPTY_ZIP: Final = b"PK\x05\x06"


def is_numpy(start: bytes) -> bool:
    """Return whether a file that begins so is one of NumPy."""
    return start.startswith((MAGIC, _ZIP, _EMPTY_ZIP))


def load(
    path: Path, budget: int | None = None, given: BinaryIO | None = None, name: str | None = None
) -> Array | dict[str, Array]:
    """Return the array of an ``.npy`` file, or the arrays of an ``.npz`` file by name.

    RequestError for anything else. ``given`` is the content of the file, if it was read already. With a ``name``, no
    other array of an ``.npz`` file is read. Arrays that are compressed may take ``budget`` bytes together; without one,
    a share of the memory that is free.
    """
    try:
        with opened(path) if given is None else given as file:
            length = file.seek(0, os.SEEK_END)
            file.seek(0)
            magic = file.read(len(MAGIC))
            file.seek(0)
            if not is_numpy(magic):
                raise RequestError(_not_numpy(path))
            if magic.startswith(MAGIC):
                return _plain(read_array(file, length, str(path)), str(path))
            return _archived(path, file, default_memory() if budget is None else budget, name)
    except MemoryError as error:
        raise RequestError(f"{path} does not fit into memory: {_first_line(error)}") from None
    except ValueError as error:
        raise RequestError(f"{path} cannot be read: {_first_line(error)}") from None


def _archived(path: Path, file: BinaryIO, budget: int | None, only: str | None) -> dict[str, Array]:
    """Return the arrays of an ``.npz`` file by name, or ``only`` one of them."""
    import zipfile

    found: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                where = f'"{name}" in {path}'
                if only not in (None, name):
                    continue
                if name in found:
                    raise RequestError(f"{where} occurs twice")
                with archive.open(member) as data:
                    array = read_array(data, member.file_size, where, budget)
                budget = None if budget is None else budget - array.nbytes
                found[name] = _plain(array, where)
    except _damaged() as error:
        raise RequestError(f"{path} cannot be read: {_first_line(error) or 'it ends too early'}") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise RequestError(f"{path} cannot be read: {_first_line(error)}") from None
    return found


def _damaged() -> tuple[type[Exception], ...]:
    """Return the exceptions that a damaged archive raises."""
    import zipfile
    import zlib

    always = zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError
    try:
        import lzma
    except ImportError:
        return always
    return *always, lzma.LZMAError


def load_one(path: Path, budget: int | None = None) -> Array:
    """Return the array of a file that holds exactly one; RequestError otherwise."""
    return only(load(path, budget), path)


def only(loaded: Array | Mapping[str, Array], path: Path) -> Array:
    """Return the only array of a file; RequestError where there are others."""
    if not isinstance(loaded, Mapping):
        return loaded
    if len(loaded) != 1:
        raise RequestError(f"{path} holds {len(loaded)} arrays ({', '.join(loaded) or 'none'}), expected one")
    return next(iter(loaded.values()))


def _plain(array: Array, where: str) -> Array:
    if array.dtype.kind == "V" and array.dtype.names is None and array.dtype.itemsize == 2:
        raise RequestError(
            f"{where} holds {array.dtype.str}: a bf16 array loses its type when NumPy saves it; "
            "save it as f32, array.astype(numpy.float32)"
        )
    if array.dtype.kind not in "fiubU":
        raise RequestError(f"{where} holds {array.dtype}, expected numbers, booleans or text")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _not_numpy(path: Path) -> str:
    return f"{path} is not a NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")


class Header(NamedTuple):
    """The type, the order and the shape of an array."""

    dtype: np.dtype[np.generic]
    fortran: bool
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_array(file: IO[bytes], length: int, where: str, budget: int | None = None) -> Array:
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
