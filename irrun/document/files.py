"""Open regular files only."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

MOST_CONFIGURATION: Final = 1 << 20
"""The limit on bytes of a file with settings."""

_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
_DESCRIPTORS: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def opened(path: Path) -> BinaryIO:
    """Open a regular file for reading; OSError for anything else, before it is waited for.

    A pipe that the process was given, ``/dev/fd/N``, is read: this is how shells pass the output of a command.
    """
    status = os.stat(path)
    if stat.S_ISFIFO(status.st_mode) and os.fspath(path).startswith(_DESCRIPTORS):
        return open(path, "rb")
    _require_regular(status, path)
    return open(path, "rb", opener=_descriptor)


def _descriptor(path: str, _flags: int) -> int:
    """Open a regular file without waiting; what is returned belongs to the file object, which alone closes it."""
    handle = os.open(path, _READ)
    try:
        _require_regular(os.fstat(handle), path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def content(path: Path, most: int | None = None) -> bytes:
    """Return the bytes of a regular file; OSError where it has more than ``most``."""
    with opened(path) as file:
        data = file.read(-1 if most is None else most + 1) or b""
    if most is not None and len(data) > most:
        raise OSError(errno.EFBIG, f"the file has more than {most} bytes", os.fspath(path))
    return data


def _require_regular(status: os.stat_result, path: Path | str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, f"{_KINDS.get(kind, 'not a file')}, expected a regular file", os.fspath(path))
