"""Operations as calls of compiled kernels: one function for each, found by the class of the operation."""

from irrun.runtime.lowering import convolutions, copies, elementwise, images, matrices, recurrent
from irrun.runtime.lowering.builder import LOWERINGS

__all__ = ["LOWERINGS", "convolutions", "copies", "elementwise", "images", "matrices", "recurrent"]
