"""The level of processors that this process has kernels for: that of its own processor, or that of a build."""

from __future__ import annotations

from typing import Final

from irrun_kernels.levels import Level, built_for
from irrun_kernels.processor import level, unavailable


def _chosen() -> Level:
    found = built_for[0] if built_for else level()
    if found is None:
        raise ImportError(unavailable())
    return found


LEVEL: Final = _chosen()

LANES: Final = LEVEL.lanes
"""The f32 of a vector."""

REGISTERS: Final = LEVEL.registers
"""The number of vector registers."""

BYTES: Final = 4 * LANES
