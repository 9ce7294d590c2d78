"""Libraries of kernels, which a build puts beside this file: one for each level of processors."""

from __future__ import annotations

import ctypes
import hashlib
import sys
import zlib
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "libraries"
SUFFIX: Final = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def exists(name: str) -> bool:
    """Return whether there is a library of this name."""
    return (FOLDER / f"{name}{SUFFIX}").is_file()


REPAIR: Final = "install irrun-kernels again, or run python kernels/build.py in a clone"


def signature(library: bytes) -> str:
    """Return what a build notes of a library: its size, its digest, and the sizes of the sources of this package."""
    sources = [(path.name, path.stat().st_size) for path in sorted(Path(__file__).parent.glob("*.py"))]
    return f"{len(library)} {hashlib.sha256(library).hexdigest()} {zlib.crc32(repr(sources).encode()):08x}"


def note_of(library: Path) -> Path:
    """Return the file with the signature of a library."""
    return library.with_name(f"{library.name}.signature")


def sign(library: Path, sources: str = "") -> None:
    """Note the signature of a library that was built from the sources of this package, and a digest of these."""
    note_of(library).write_text(f"{signature(library.read_bytes())} {sources}", encoding="utf-8")


def damage(name: str) -> str | None:
    """Return why a library is not loaded: a file was cut short, changed, or is of another build. None if it is sound.

    The system ends a process that loads a part of a library.
    """
    path = FOLDER / f"{name}{SUFFIX}"
    try:
        data, noted = path.read_bytes(), note_of(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return str(error)
    found = signature(data)
    if noted.split()[:3] == found.split():
        return None
    if noted.split()[:2] == found.split()[:2]:
        return "the Python files of irrun_kernels are not those that it was built from"
    expected = noted.split()[0] if noted else "0"
    return "its bytes were changed" if expected == str(len(data)) else f"it has {len(data)} bytes, expected {expected}"


@cache
def opened(name: str) -> ctypes.CDLL:
    """The library of this name; OSError if it is damaged or cannot be loaded."""
    fault = damage(name)
    if fault is not None:
        raise OSError(f"{fault}; {REPAIR}")
    return ctypes.CDLL(str(FOLDER / f"{name}{SUFFIX}"))


_ADDED: Final[list[ctypes.CDLL]] = []


def add(path: Path) -> None:
    """Look for functions in another library, too."""
    _ADDED.append(ctypes.CDLL(str(path)))


def address_of(name: str, symbol: str) -> int:
    """Return the address of a function; LookupError if the library does not have it."""
    for library in (opened(name), *_ADDED):
        function = getattr(library, symbol, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise LookupError(f"the library {name} of kernels has no {symbol}: it was built from other sources")
