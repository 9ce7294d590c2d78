"""Check code, and a library before it goes into a wheel: what it needs from others, and what it offers."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from building.systems import BuildError, System

_OF_C: Final = {"memcpy", "memmove", "memset"}
"""Functions that the C library of each process has."""

_NEEDED: Final = {
    "windows": rb"(?i)kernel32\.dll|api-ms-win-crt-[a-z0-9-]+\.dll|ntdll\.dll",
    "macos": rb"/usr/lib/libSystem\.B\.dylib",
}
_NAMES: Final = {"windows": rb"[\w.-]+\.dll\b", "macos": rb"/[\w./-]+\.dylib"}


def without_addresses(code: str) -> str:
    """Return LLVM code without the addresses of functions that are arguments, so that equal sources are equal bytes.

    Numba stores such an address of its own process, and no kernel reads it. BuildError where another one is left.
    """
    code = re.sub(r"^(@numba\.dynamic\.globals\.\w+ = .*)inttoptr \(i64 \d+ to ptr\)", r"\1null", code, flags=re.M)
    address = re.search(r"^.*inttoptr \(i64 \d{9,} to ptr\)", code, re.M)
    if address is not None:
        raise BuildError(f"the code has an address of the process that compiles it: {address[0]}")
    return code


def check(system: System, library: Path, symbols: Sequence[str]) -> None:
    """BuildError if a library lacks a symbol, or needs more than every process of the system has."""
    data = library.read_bytes()
    missing = [symbol for symbol in symbols if symbol.encode() not in data]
    if missing:
        raise BuildError(f"{library.name} of {system.name} lacks {', '.join(missing)}")
    needed = sorted(_needed(system, library.name, data))
    if needed:
        raise BuildError(f"{library.name} of {system.name} needs {', '.join(needed)}")
    if system.name.startswith("macos") and system.triple.rpartition("macosx")[2] != oldest_macos(data):
        raise BuildError(f"{library.name} of {system.name} is for macOS {oldest_macos(data)}, expected {system.triple}")


def _needed(system: System, name: str, data: bytes) -> set[str]:
    """Return the libraries, or on Linux the functions, that a library needs from others and may not."""
    kind = system.name.partition("-")[0]
    if kind == "linux":
        return {symbol for symbol in undefined(data) if symbol not in _OF_C}
    found = set(re.findall(_NAMES[kind], data)) - {name.encode()}
    return {one.decode() for one in found if not re.fullmatch(_NEEDED[kind], one) and not one.endswith(name.encode())}


def oldest_macos(data: bytes) -> str:
    """Return the oldest macOS that a Mach-O library is for."""
    (count,) = struct.unpack_from("<I", data, 16)
    place = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, place)
        if command == 0x32:
            (version,) = struct.unpack_from("<I", data, place + 12)
            return f"{version >> 16}.{version >> 8 & 255}"
        place += size
    return "any version"


def undefined(data: bytes) -> Iterator[str]:
    """Yield the undefined dynamic symbols of an ELF library, and the libraries that it is linked with."""
    from llvmlite.binding import ObjectFileRef

    sections = {section.name(): section.data() for section in ObjectFileRef.from_data(data).sections()}
    symbols = list(struct.iter_unpack("<IBBHQQ", sections[b".dynsym"]))
    names = [name for name, _, _, home, _, _ in symbols[1:] if home == 0]
    names += [name for tag, name in struct.iter_unpack("<QQ", sections[b".dynamic"]) if tag == 1]
    yield from (sections[b".dynstr"][name:].split(b"\0", 1)[0].decode() for name in names)
