"""The processor that kernels are compiled for: this one, or what Numba's variables name in its place."""

from __future__ import annotations

import os
from typing import Final

import llvmlite.binding as llvm

TRIPLE: Final = str(llvm.get_process_triple())

CPU: Final = os.environ.get("NUMBA_CPU_NAME") or str(llvm.get_host_cpu_name())

FEATURES: Final = os.environ.get("NUMBA_CPU_FEATURES", str(llvm.get_host_cpu_features().flatten()))
"""Features as LLVM writes them, ``+avx2,-avx512f``."""

_HAS: Final = frozenset(name[1:] for name in FEATURES.split(",") if name.startswith("+"))


def _vectors() -> tuple[int, int]:
    """The f32 of a vector, and the number of vector registers."""
    if "avx512f" in _HAS:
        return 16, 32
    if "avx" in _HAS:
        return 8, 16
    return 4, 32 if TRIPLE.startswith(("arm64", "aarch64")) else 16


LANES, REGISTERS = _vectors()

BYTES: Final = 4 * LANES

HAS_BF16: Final = LANES == 16 and "avx512bf16" in _HAS
"""True if one instruction adds the products of two pairs of bf16 to each f32 of a vector."""

HAS_DOT: Final = {16: "avx512vnni", 8: "avxvnni"}.get(LANES, "none") in _HAS
"""True if one instruction adds the products of four pairs of bytes to each word of a vector."""
