"""Objects for tests of all clones, in a folder of the user. No build of a wheel reads or writes it.

A file has the name of an object, which tells all that decides on the code, and a checksum before the content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from building.systems import BuildError

_CHECKSUM: Final = 32


class KeptObjects:
    """Objects in a folder that only its owner may write to."""

    def __init__(self, folder: Path, most_bytes: int = 100 << 20) -> None:
        """BuildError if others may write to the folder."""
        status = folder.lstat()
        is_owned = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        if not is_owned or not stat.S_ISDIR(status.st_mode):
            raise BuildError(f"{folder} keeps kernels that tests run; expected a folder that only you may write to")
        self.folder = folder
        self._most_bytes = most_bytes

    def restore(self, path: Path) -> bool:
        """Write the object of this name to its place; False if it is not kept, or not as it was."""
        kept = self.folder / path.name
        try:
            data = kept.read_bytes()
            os.utime(kept)
        except OSError:
            return False
        content = data[_CHECKSUM:]
        if data[:_CHECKSUM] != _checksum(path.name, content):
            return False
        write(path, content)
        return True

    def keep(self, path: Path) -> None:
        """Keep an object, if there is room on the disk."""
        content = path.read_bytes()
        with contextlib.suppress(OSError):
            write(self.folder / path.name, _checksum(path.name, content) + content)

    def forget(self) -> None:
        """Delete what was used the longest time ago, if all is too large."""
        files = [(status.st_mtime, status.st_size, path) for path, status in self._files()]
        room = self._most_bytes
        for _, size, path in sorted(files, reverse=True):
            room -= size
            if room < 0:
                path.unlink(missing_ok=True)

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        found = []
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):  # Another process may delete it.
                found.append((path, path.stat()))
        return found


def write(path: Path, content: bytes) -> None:
    """Write a file that other processes may write or read meanwhile: they find all of it, or none."""
    handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + content).digest()
