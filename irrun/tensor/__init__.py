"""Element types, dims, partial shapes and facts."""

from irrun.tensor.dim import UNBOUNDED, Declared, Dim, NegativeSize, Undecided
from irrun.tensor.element_type import DYNAMIC, ElementType
from irrun.tensor.fact import Array, BoundedFact, Fact, StoredFact
from irrun.tensor.shape import Shape

__all__ = [
    "DYNAMIC",
    "UNBOUNDED",
    "Array",
    "BoundedFact",
    "Declared",
    "Dim",
    "ElementType",
    "Fact",
    "NegativeSize",
    "Shape",
    "StoredFact",
    "Undecided",
]
