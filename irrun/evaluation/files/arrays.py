"""Reads arrays from untrusted files."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from irrun.diagnostics.requests import RequestError
from irrun.document.files import opened
from irrun.evaluation.files import npy
from irrun.runtime.available import default_memory
from irrun.tensor import Array

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"


def load(path: Path, budget: int | None = None) -> Array | dict[str, Array]:
    """Return the array of an ``.npy`` file, or the arrays of an ``.npz`` file by name.

    RequestError for anything else.
    Arrays that are compressed may take ``budget`` bytes together; without one, a share of the memory that is free.
    """
    try:
        with opened(path) as file:
            magic = file.read(6)
            file.seek(0)
            if not magic.startswith((npy.MAGIC, _ZIP, _EMPTY_ZIP)):
                raise RequestError(_not_numpy(path))
            if magic.startswith(npy.MAGIC):
                return _plain(npy.read(file, os.fstat(file.fileno()).st_size, str(path)), str(path))
            return _archived(path, file, default_memory() if budget is None else budget)
    except MemoryError as error:
        raise RequestError(f"{path} does not fit into memory: {_first_line(error)}") from None
    except ValueError as error:
        raise RequestError(f"{path} cannot be read: {_first_line(error)}") from None


def _archived(path: Path, file: BinaryIO, budget: int | None) -> dict[str, Array]:
    """The arrays of an ``.npz`` file by name."""
    import zipfile

    found: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                where = f'"{name}" in {path}'
                if name in found:
                    raise RequestError(f"{where} occurs twice")
                with archive.open(member) as data:
                    array = npy.read(data, member.file_size, where, budget)
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
