"""Operations: one declaration each, in a folder for each category of the specification."""

from irrun.diagnostics import OpError
from irrun.ops.declaration import REFUSED, Fold, In, Legacy, Out, TypeVar, attr
from irrun.ops.operation import Op, op
from irrun.tensor import Array, Dim, ElementType, Fact, Shape

__all__ = [
    "REFUSED",
    "Array",
    "Dim",
    "ElementType",
    "Fact",
    "Fold",
    "In",
    "Legacy",
    "Op",
    "OpError",
    "Out",
    "Shape",
    "TypeVar",
    "attr",
    "op",
]
