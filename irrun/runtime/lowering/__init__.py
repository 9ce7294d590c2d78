"""Operations as calls of compiled kernels: one function for each, found by the class of the operation."""

from irrun.runtime.lowering import cache, convolutions, copies, elementwise, images, matrices, recurrent, stacks
from irrun.runtime.lowering.builder import LATE_LOWERINGS, LOWERINGS

__all__ = [
    "LATE_LOWERINGS",
    "LOWERINGS",
    "cache",
    "convolutions",
    "copies",
    "elementwise",
    "images",
    "matrices",
    "recurrent",
    "stacks",
]
