"""The instructions that multiply pairs of bf16 and quads of bytes: one table, from which the processor chooses."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final, Literal, NamedTuple

from irrun.kernels.compiled.host import HAS, LANES

Operands = Literal["bf16", "bf16 tiles", "bytes", "byte tiles"]


class Backend(NamedTuple):
    """A way to multiply operands of a kind, for vectors of some ``lanes`` of f32 (0 for any).

    It needs all of the ``features``, in LLVM's names. ``function`` is that of LLVM for the instruction; without one,
    the product is made of others. ``offset`` is what is subtracted from bytes without sign to give them one.
    """

    operands: Operands
    name: str
    lanes: int
    features: str
    function: str = ""
    offset: int = 0


BACKENDS: Final = (
    Backend("bf16 tiles", "AMX-BF16", 16, "amx-tile amx-bf16", "llvm.x86.tdpbf16ps"),
    Backend("byte tiles", "AMX-INT8", 16, "amx-tile amx-int8", "llvm.x86.tdpbusd"),
    Backend("bf16", "AVX512-BF16", 16, "avx512bf16", "llvm.x86.avx512bf16.dpbf16ps.512"),
    Backend("bf16", "BFDOT", 4, "neon bf16", "llvm.aarch64.neon.bfdot.v4f32.v16i8"),
    Backend("bf16", "f32 made of bf16", 0, ""),
    Backend("bytes", "AVX512-VNNI", 16, "avx512vnni", "llvm.x86.avx512.vpdpbusd.512"),
    Backend("bytes", "AVX-VNNI", 8, "avxvnni", "llvm.x86.avx512.vpdpbusd.256"),
    Backend("bytes", "USDOT", 4, "neon i8mm", "llvm.aarch64.neon.usdot.v4i32.v16i8"),
    Backend("bytes", "SDOT", 4, "neon dotprod", "llvm.aarch64.neon.sdot.v4i32.v16i8", 128),
    Backend("bytes", "halves of words", 0, ""),
)
"""The first that the processor has is used, for each kind of operands."""

AMX: Final = os.environ.get("IRRUN_AMX", "on")
"""``off`` leaves AMX tiles alone; ``memory`` computes in memory what they would, on any processor with AVX-512."""


def _permission() -> bool:
    """Ask the system for the registers of tiles, once for this process; it may refuse."""
    if not sys.platform.startswith("linux"):
        return False
    request, tile_data, number = 0x1023, 18, 158
    try:
        return int(ctypes.CDLL(None).syscall(number, request, tile_data)) == 0
    except (OSError, AttributeError):
        return False


HAS_TILES: Final = AMX == "memory" or (AMX == "on" and "amx-tile" in HAS and _permission())


def usable(operands: Operands) -> list[Backend]:
    """Return what multiplies operands on this processor, the best first."""
    has = HAS | ({"amx-tile", "amx-bf16", "amx-int8"} if AMX == "memory" else set())
    fitting = [
        backend
        for backend in BACKENDS
        if backend.operands == operands and backend.lanes in (0, LANES) and has.issuperset(backend.features.split())
    ]
    return [backend for backend in fitting if HAS_TILES or "amx-tile" not in backend.features]


OF_HALVES: Final = usable("bf16")[0]
OF_BYTES: Final = usable("bytes")[0]
HAS_HALF_TILES: Final = bool(usable("bf16 tiles"))
HAS_BYTE_TILES: Final = bool(usable("byte tiles"))
