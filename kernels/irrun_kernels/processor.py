"""The features of the processor of this process, and the level that follows from them."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from irrun_kernels.levels import LEVELS, Level
from irrun_kernels.library import exists, opened

VARIABLE: Final = "IRRUN_LEVEL"
"""The environment variable that names a level."""

_BITS: Final = {
    (1, 0, 2): {12: "fma", 22: "movbe", 23: "popcnt", 28: "avx", 29: "f16c"},
    (7, 0, 1): {
        3: "bmi",
        5: "avx2",
        8: "bmi2",
        16: "avx512f",
        17: "avx512dq",
        28: "avx512cd",
        30: "avx512bw",
        31: "avx512vl",
    },
    (7, 0, 2): {11: "avx512vnni"},
    (7, 0, 3): {22: "amx-bf16", 24: "amx-tile", 25: "amx-int8"},
    (7, 1, 0): {4: "avxvnni", 5: "avx512bf16"},
    (0x80000001, 0, 2): {5: "lzcnt"},
}
"""Bits of ``cpuid``: by leaf, subleaf, and the number of the register, of eax, ebx, ecx and edx."""

_VECTORS, _MASKS, _TILES = 0x6, 0xE6, 0x600E6
"""Bits of XCR0: the registers that the system saves."""

_HWCAP: Final = {(16, 1): "neon", (16, 20): "dotprod", (26, 13): "i8mm", (26, 14): "bf16"}
"""Bits of ``getauxval`` on Linux, by the type of the entry."""

_SYSCTL: Final = {"AdvSIMD": "neon", "arm.FEAT_DotProd": "dotprod", "arm.FEAT_I8MM": "i8mm", "arm.FEAT_BF16": "bf16"}
"""Names below ``hw.optional`` on macOS."""

_WINDOWS: Final = {19: "neon", 43: "dotprod", 66: "i8mm", 68: "bf16"}
"""Numbers of ``IsProcessorFeaturePresent``."""


def machine() -> str:
    """The machine in the names of levels: ``x86_64``, ``arm64``, or what the system calls another one."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(name, name)


@cache
def features() -> frozenset[str]:
    """Return what the processor has and the system supports, in LLVM's names."""
    if sys.maxsize < 1 << 32:
        return frozenset()
    found = {"x86_64": _of_x86, "arm64": _of_arm}.get(machine())
    return frozenset(found() if found is not None else ())


def fitting() -> list[Level]:
    """Return the levels whose features this processor has, the best first."""
    return [level for level in LEVELS if level.machine == machine() and level.has <= features()]


def level() -> Level | None:
    """Return the level whose library is used: the one that is asked for, or the best of which there is a library."""
    asked = os.environ.get(VARIABLE)
    wanted = [level for level in fitting() if level.name == asked or (not asked and not level.is_for_tests)]
    return next((level for level in wanted if exists(level.name)), None)


def unavailable() -> str | None:
    """Return why there are no kernels for this processor; None if there are."""
    found = level()
    if found is not None:
        return _fault(found.name)
    if machine() == "x86_64" and exists("processor") and (fault := _fault("processor")) is not None:
        return fault
    asked = os.environ.get(VARIABLE)
    names = [level.name for level in LEVELS if level.machine == machine()]
    if asked and asked not in names:
        offered = [level.name for level in LEVELS if level.machine == machine() and not level.is_for_tests]
        return f"{VARIABLE} is {asked}, expected {' or '.join(offered) or 'nothing on this processor'}"
    if asked and asked not in [level.name for level in fitting()]:
        return f"{VARIABLE} is {asked}, whose instructions this processor does not have"
    if asked:
        return f"{VARIABLE} is {asked}, of which there is no library"
    if not names:
        return f"there are no kernels for the processor {machine() or 'of this system'}"
    if not any(exists(name) for name in names):
        return f"the libraries of kernels for {sys.platform} on {machine()} are missing"
    if fitting():
        return f"the library of {fitting()[0].name} is missing"
    return f"this processor has not all instructions of {names[-1] if machine() == 'arm64' else 'x86-64-v3'}"


def _fault(name: str) -> str | None:
    """Return why a library cannot be loaded; None if it can."""
    try:
        opened(name)
    except OSError as error:
        return f"the library {name} of kernels cannot be loaded: {error}"
    return None


def _of_x86() -> Iterator[str]:
    if not exists("processor") or _fault("processor") is not None:
        return
    library = opened("processor")
    numbers = (ctypes.c_uint32 * 4)()

    def asked(leaf: int, subleaf: int) -> list[int]:
        library.irrun_cpuid(ctypes.c_uint32(leaf), ctypes.c_uint32(subleaf), numbers)
        return list(numbers)

    most = {0: asked(0, 0)[0], 0x80000000: asked(0x80000000, 0)[0]}
    saves_registers = asked(1, 0)[2] >> 27 & 1
    saved = library.irrun_xgetbv() & 0xFFFFFFFF if saves_registers else 0
    for (leaf, subleaf, register), names in _BITS.items():
        if leaf <= most[leaf & 0x80000000] and (subleaf == 0 or subleaf <= asked(leaf, 0)[0]):
            value = asked(leaf, subleaf)[register]
            yield from (name for bit, name in names.items() if value >> bit & 1 and _is_saved(name, saved))


def _is_saved(feature: str, saved: int) -> bool:
    """Return whether the system saves the registers that a feature needs."""
    if feature.startswith("avx512"):
        # macOS begins to save them when they are used first.
        return saved & _MASKS == _MASKS or (sys.platform == "darwin" and saved & _VECTORS == _VECTORS)
    if feature.startswith("amx"):
        return saved & _TILES == _TILES and permission()
    return saved & _VECTORS == _VECTORS if feature.startswith(("avx", "f16c", "fma")) else True


@cache
def permission() -> bool:
    """Ask the system for the registers of tiles, once for this process; it may refuse."""
    if not sys.platform.startswith("linux"):
        return False
    request, tile_data, number = 0x1023, 18, 158
    try:
        return int(ctypes.CDLL(None).syscall(number, request, tile_data)) == 0
    except (OSError, AttributeError):
        return False


def _of_arm() -> Iterator[str]:
    windows: Any = getattr(ctypes, "WinDLL", None)
    if windows is not None:
        present: Callable[[int], int] = windows("kernel32").IsProcessorFeaturePresent
        yield from (name for number, name in _WINDOWS.items() if present(number))
        return
    library = ctypes.CDLL(None)
    if sys.platform == "darwin":
        for key, name in _SYSCTL.items():
            value, size = ctypes.c_int64(0), ctypes.c_size_t(8)
            text = f"hw.optional.{key}".encode()
            if library.sysctlbyname(text, ctypes.byref(value), ctypes.byref(size), None, 0) == 0 and value.value:
                yield name
        return
    library.getauxval.argtypes, library.getauxval.restype = [ctypes.c_ulong], ctypes.c_ulong
    for (kind, bit), name in _HWCAP.items():
        if library.getauxval(kind) >> bit & 1:
            yield name
