"""Replace files as a whole."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from irrun.diagnostics.naming import naming
from irrun.document.files import content

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

_WRITE: Final = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
)
_LONGEST_NAME: Final = 200


@contextlib.contextmanager
def replacing(path: Path, before: bytes | None = None) -> Iterator[BinaryIO]:
    """Write a new content for a file, which takes its place when the context ends without an error.

    The content is written to ``.NAME.irrun`` beside the file, flushed to the disk, and renamed. What a killed process
    left there is removed first. Mode, owner and extended attributes of the file are kept. With ``before``, OSError
    where they cannot be kept, where the file has several hard links, or where it no longer holds ``before``. A pipe or
    a device is written to directly. OSError where the file or its folder is not writable, or another process writes the
    same file; it is then unchanged. An error names the file.
    """
    with naming(path), _replacing(path, before) as file:
        yield file


@contextlib.contextmanager
def _replacing(path: Path, before: bytes | None) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    status = _status(target)
    if status is not None and not stat.S_ISREG(status.st_mode):
        with open(target, "wb") as stream:
            yield stream
        return
    if status is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    if before is not None and status is not None and status.st_nlink > 1:
        what = f"it has {status.st_nlink} hard links, which a new file would separate; copy it first"
        raise OSError(errno.EMLINK, what, os.fspath(path))
    beside = _beside(target)
    handle = _begun(beside, path, 0o666 if status is None else 0o600)
    try:
        with os.fdopen(handle, "wb", closefd=False) as file:
            yield file
        if status is not None:
            _keep(status, target, handle, path, strict=before is not None)
        os.fsync(handle)
        if before is not None and content(target) != before:
            raise OSError(errno.EBUSY, "another process has changed it in the meantime", os.fspath(path))
        _rename(beside, target, path)
        _flush_folder(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    finally:
        os.close(handle)


def write_through(path: Path, file: BinaryIO, data: bytes) -> None:
    """Write data to a file of ``replacing`` and on to the disk, so that a full disk is an error now."""
    with naming(path):
        file.write(data)
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fsync(file.fileno())


def clear(path: Path) -> None:
    """Remove what a killed process left beside a file."""
    beside = _beside(Path(os.path.realpath(path)))
    if beside.exists():
        with contextlib.suppress(OSError):
            handle = _begun(beside, path, 0o600)
            os.unlink(beside)
            os.close(handle)


def _rename(beside: Path, target: Path, path: Path) -> None:
    try:
        os.replace(beside, target)
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _beside(target: Path) -> Path:
    name = target.name
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f"{zlib.crc32(os.fsencode(name)):08x}"
    return target.with_name(f".{name}.irrun")


def _begun(beside: Path, path: Path, mode: int) -> int:
    """Return the handle of a new, locked file."""
    while True:
        try:
            handle = os.open(beside, _WRITE, mode)
        except OSError as error:
            where = "" if error.errno == errno.ENOENT else " in its folder"
            raise OSError(error.errno, f"{error.strerror}{where}", os.fspath(path)) from None
        try:
            if _is_ours(handle, beside, path):
                if os.fstat(handle).st_size == 0:
                    return handle
                os.unlink(beside)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_ours(handle: int, beside: Path, path: Path) -> bool:
    """Lock a file; return False if another process has renamed or removed it meanwhile."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "another process is writing it", os.fspath(path)) from None
    status, named = os.fstat(handle), _status(beside)
    if status.st_nlink > 1 or status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"{beside.name} beside it belongs to another user", os.fspath(path))
    return named is not None and os.path.samestat(status, named)


def _keep(status: os.stat_result, target: Path, handle: int, path: Path, *, strict: bool) -> None:
    """Give a new file the owner, mode and extended attributes of the old one."""
    try:
        if hasattr(os, "fchown"):
            new = os.fstat(handle)
            if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
                os.fchown(handle, status.st_uid, status.st_gid)
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
        for name in _attributes(target):
            os.setxattr(handle, name, os.getxattr(target, name))
    except OSError as error:
        if strict:
            what = f"its owner, mode or attributes cannot be kept: {error.strerror}"
            raise OSError(error.errno, what, os.fspath(path)) from None


def _attributes(path: Path) -> list[str]:
    """Return the names of the extended attributes; none where the file system has none."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return os.listxattr(path)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return []
        raise


def _flush_folder(folder: Path) -> None:
    """Flush a rename to the disk, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
