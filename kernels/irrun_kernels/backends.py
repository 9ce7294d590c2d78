"""The instructions that multiply pairs of bf16 and quads of bytes: one table, from which the processor chooses."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from irrun_kernels.host import LANES, LEVEL

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


def usable(operands: Operands) -> list[Backend]:
    """Return what multiplies operands on this level of processors, the best first."""
    has = LEVEL.has | ({"amx-tile", "amx-bf16", "amx-int8"} if LEVEL.tiles else set())
    return [
        backend
        for backend in BACKENDS
        if backend.operands == operands and backend.lanes in (0, LANES) and has.issuperset(backend.features.split())
    ]


HAS_TILES: Final = bool(LEVEL.tiles)
OF_BF16: Final = usable("bf16")[0]
OF_BYTES: Final = usable("bytes")[0]
HAS_BF16_TILES: Final = bool(usable("bf16 tiles"))
HAS_BYTE_TILES: Final = bool(usable("byte tiles"))
