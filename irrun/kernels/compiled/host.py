"""The processor that kernels are compiled for: this one, or what Numba's variables name in its place."""

from __future__ import annotations

import os
from typing import Final

import llvmlite.binding as llvm

TRIPLE: Final = str(llvm.get_process_triple())

CPU: Final = os.environ.get("NUMBA_CPU_NAME") or str(llvm.get_host_cpu_name())

FEATURES: Final = os.environ.get("NUMBA_CPU_FEATURES", str(llvm.get_host_cpu_features().flatten()))
"""Features as LLVM writes them, ``+avx2,-avx512f``."""

HAS: Final = frozenset(name[1:] for name in FEATURES.split(",") if name.startswith("+"))
"""The names of the features that the processor has."""


def _vectors() -> tuple[int, int]:
    """The f32 of a vector, and the number of vector registers."""
    if "avx512f" in HAS:
        return 16, 32
    if "avx" in HAS:
        return 8, 16
    return 4, 32 if TRIPLE.startswith(("arm64", "aarch64")) else 16


LANES, REGISTERS = _vectors()

BYTES: Final = 4 * LANES
