"""Object code on disk, and in this process. Linking needs LLVM only, a fraction of what Numba takes to import."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm

from irrun.kernels.compiled.backends import AMX, HAS_HALF_TILES
from irrun.kernels.compiled.host import CPU, FEATURES, TRIPLE
from irrun.kernels.locks import Lock

_LOCK: Final = Lock()

linked: Final[dict[str, int]] = {}
"""The addresses of the symbols that this process has linked."""


def address_of(function: Callable[..., Any], compile: Callable[[str], bytes]) -> int:
    """Return the address of the code of a function, which ``compile`` makes if no cache has it.

    ``compile`` returns an object that defines the symbol that it is given.
    """
    with _LOCK:
        symbol = f"irrun.{function.__module__.rpartition('.')[2]}.{function.__name__}.{_key(function)}"
        if symbol not in linked:
            code = _read(symbol)
            if code is None:
                code = compile(symbol)
                _write(symbol, code)
            engine = _engine()
            engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            engine.finalize_object()
            linked[symbol] = int(engine.get_function_address(symbol))
        return linked[symbol]


@cache
def _engine() -> Any:
    """The linker of this process. It keeps all code for as long as the process lives."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(TRIPLE)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine())


def _key(function: Callable[..., Any]) -> str:
    """A digest of all that decides on the code: the sources, the compiler and the processor."""
    file = Path(function.__code__.co_filename)
    known = _environment() + (b"" if file.parent == Path(__file__).parent else file.read_bytes())
    return _digest(known).hex()


@cache
def _environment() -> bytes:
    sources = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    facts = [
        sys.implementation.cache_tag,
        *map(version, ("numba", "llvmlite")),
        TRIPLE,
        CPU,
        FEATURES,
        HAS_HALF_TILES,
        AMX,
    ]
    return _digest(sources + repr(facts).encode())


def _digest(data: bytes) -> bytes:
    """Eight bytes that differ where data do. The module hashlib would load OpenSSL, four megabytes of memory."""
    return zlib.crc32(data).to_bytes(4, "big") + zlib.adler32(data).to_bytes(4, "big")


@cache
def _folder() -> Path | None:
    """Return the folder of the objects; None if none can be written to."""
    from platformdirs import user_cache_path

    folder = Path(os.environ.get("IRRUN_CACHE_DIR") or user_cache_path("irrun", appauthor=False))
    with suppress(OSError):
        if folder.is_absolute():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return folder
    return None


def _read(symbol: str) -> bytes | None:
    """Return an object of the cache; None where there is none, or it is not what was written."""
    folder = _folder()
    if folder is None:
        return None
    try:
        data = (folder / f"{symbol}.o").read_bytes()
    except OSError:
        return None
    code = data[8:]
    return code if _digest(code) == data[:8] else None


def _write(symbol: str, code: bytes) -> None:
    """Keep an object. A process that reads meanwhile finds all of it, or refuses it for its digest.

    What a killed process left has the same name, and is written over.
    """
    folder = _folder()
    if folder is None:
        return
    beside = folder / f"{symbol}.tmp"
    try:
        beside.write_bytes(_digest(code) + code)
        beside.replace(folder / f"{symbol}.o")
    except OSError:
        with suppress(OSError):
            beside.unlink()
