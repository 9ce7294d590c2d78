"""Packed weights in files of a folder, one for each array, by what they are made of.

A file has a page of text and then the elements; nothing in it is executed. It is written beside its place and moved
there, so that processes see a whole file or none. A file that does not belong to the user, that others may write to, or
whose digest is wrong is not used, and is written again.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics.version import __version__
from irrun.document.guard import MapGuard
from irrun.kernels.layout import axes_in_memory
from irrun.runtime.packing import finished
from irrun.tensor import Array
from irrun_kernels.host import LEVEL
from irrun_kernels.library import FOLDER, SUFFIX, note_of

MOST: Final = 16 << 30
"""Bytes of all files; those that were not used for the longest time leave first."""

_SMALL: Final = 1 << 16
"""Bytes of an array that is packed in less time than a file is opened."""

_PAGE: Final = 4096
_MAGIC: Final = "irrun packed weights, format 1"
_ENDING: Final = ".packed"
_LEFT_BEHIND: Final = 3600.0
"""Seconds after which a file that was not moved to its place is that of a process that ended."""

_BLOCK: Final = 4096
"""Numbers that are summed up at a time for a digest."""


class PackCache:
    """The files of a folder, for this processor and this version. It warns once, and the model goes on without it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._guards: list[MapGuard] = []
        self._total: int | None = None
        self._is_read = self._is_written = True
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fault = _distrust(os.stat(folder))
        except OSError as error:
            fault = error.strerror or str(error)
        if fault:
            self._is_read = self._is_written = False
            self._warn(f"is not used: {fault}")

    @property
    def is_torn(self) -> bool:
        """Return whether a file was cut short while it was in use: what it held are zeros."""
        return any(guard.is_torn for guard in self._guards)

    def made(self, how: str, source: Array, make: Callable[[], Array]) -> Array:
        """Return the array of a file, or what ``make`` returns, and write that. ``how`` and ``source`` tell it all."""
        if not self._is_read or source.nbytes < _SMALL:
            return make()
        path = self._folder / f"{_name(how, source)}{_ENDING}"
        found = self._stored(path)
        if found is not None:
            return found
        found = finished(make)
        if self._is_written:
            try:
                self._write(path, found)
            except OSError as error:
                self._is_written = False
                self._warn(f"is not written to: {error.strerror or error}")
        return found

    def _stored(self, path: Path) -> Array | None:
        """Return the array of a file, mapped; None where there is none that can be trusted."""
        try:
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or _distrust(status) or status.st_size <= _PAGE:
                return None
            whole = mmap.mmap(handle, status.st_size, access=mmap.ACCESS_READ)
            os.utime(handle if os.utime in os.supports_fd else path)
        except OSError:
            return None
        finally:
            os.close(handle)
        guard = MapGuard(whole)
        found = _array(whole)
        if found is None or guard.is_torn:
            return None
        self._guards.append(guard)
        return found

    def _write(self, path: Path, array: Array) -> None:
        """Write a file whole, for the user only, where the disk has room for it."""
        if self._total is None or self._total + array.nbytes > MOST:
            self._total = _make_room(self._folder, array.nbytes)
        self._total += array.nbytes + _PAGE
        if shutil.disk_usage(self._folder).free < 2 * array.nbytes:
            raise OSError(f"there is no room for {array.nbytes} bytes")
        handle, name = tempfile.mkstemp(".part", "", self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(_head(array))
                file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _warn(self, what: str) -> None:
        warnings.warn(f"CACHE_DIR {self._folder} {what}", RuntimeWarning, 2)


def _make_room(folder: Path, size: int) -> int:
    """Remove the oldest files until one of a size fits, and what processes that ended left; return what there is."""
    total = 0
    files = sorted(_files(folder), key=lambda each: each[1].st_mtime, reverse=True)
    for path, status in files:
        is_left = path.suffix == ".part" and time.time() - status.st_mtime > _LEFT_BEHIND
        if is_left or (path.suffix == _ENDING and total + status.st_size + size > MOST):
            with suppress(OSError):
                path.unlink()
        else:
            total += status.st_size
    return total


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files that may be those of this module."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((_ENDING, ".part")) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)


def _distrust(status: os.stat_result) -> str:
    """Return why a file or a folder is not trusted; an empty text for one of the user that nobody else may change."""
    if hasattr(os, "geteuid"):
        if status.st_uid != os.geteuid():
            return "it belongs to another user"
        if status.st_mode & 0o022:
            return "other users may write to it"
    return ""


@cache
def _build() -> str:
    """Return the version, the level, the build and, in a clone, the sources that decide how weights are packed."""
    modules = sorted((Path(__file__).parent / "lowering").glob("*.py"))
    sizes = hashlib.sha256(repr([(path.name, path.stat().st_size) for path in modules]).encode()).hexdigest()
    note = note_of(FOLDER / f"{LEVEL.name}{SUFFIX}").read_text(encoding="utf-8", errors="replace")
    return f"{_MAGIC} {__version__} {LEVEL.name} {note} {sizes}"


def _name(how: str, source: Array) -> str:
    """The name of the file of a packed array."""
    axes = axes_in_memory(source)
    inner = source.transpose(axes)
    text = f"{_build()} {how} {source.dtype.str} {source.shape} {axes} {digest(inner)}"
    return hashlib.sha256(text.encode()).hexdigest()


def _head(array: Array) -> bytes:
    """The first page of a file: what it is, its type, its shape and the digest of its elements."""
    shape = " ".join(map(str, array.shape))
    return "\n".join((_MAGIC, array.dtype.str, shape, digest(array), "")).encode().ljust(_PAGE, b"\0")


def _array(whole: mmap.mmap) -> Array | None:
    """Return the elements of a file, if it is as it was written."""
    lines = whole[:_PAGE].rstrip(b"\0").decode("latin-1").split("\n")
    if len(lines) != 5 or lines[0] != _MAGIC or lines[1].lstrip("<|>=")[:1] not in set("iuf"):
        return None
    try:
        dtype, shape = np.dtype(lines[1]), tuple(map(int, lines[2].split()))
        found = np.frombuffer(whole, dtype, offset=_PAGE).reshape(shape)
    except (TypeError, ValueError):
        return None
    return found if digest(found) == lines[3] else None


def digest(array: Array) -> str:
    """The digest of the elements in row-major order.

    Blocks are reduced to sums of products with odd random factors, modulo 2**64, in a fraction of the time that a
    cryptographic digest of them takes. It tells damaged and different arrays; files are safe from others by who may
    write to them.
    """
    octets: Array = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    count = len(octets) // (8 * _BLOCK)
    blocks = octets[: count * 8 * _BLOCK].view(np.uint64).reshape(count, _BLOCK)
    sums = np.einsum("ij,j->i", blocks, _factors())
    found = hashlib.sha256(f"{len(octets)} ".encode())
    found.update(sums.tobytes())
    found.update(octets[count * 8 * _BLOCK :].tobytes())
    return found.hexdigest()


@cache
def _factors() -> np.ndarray[Any, np.dtype[np.uint64]]:
    random = np.random.default_rng(46)
    return random.integers(0, 1 << 63, _BLOCK, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
