"""Libraries of kernels, which a build puts beside this file: one for each level of processors."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "libraries"
SUFFIX: Final = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def exists(name: str) -> bool:
    """Return whether there is a library of this name."""
    return (FOLDER / f"{name}{SUFFIX}").is_file()


@cache
def opened(name: str) -> ctypes.CDLL:
    """The library of this name; OSError if it cannot be loaded."""
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
