from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.casting import cast
from irrun.ops import Array, Dim, ElementType, Fact, Fold, In, Op, OpError, Out, Shape, attr, op
from irrun.ops.departures import OF_RANK_1
from irrun.tensor import Undecided
from irrun.tensor.element_type import BOOLEAN, NUMERIC, STRING

CLIPPED: Final = "clips numbers beyond the range of the type from rank 7 on, which the page does not define"


@op("Convert", opset=1)
class Convert(Op):
    """Convert every element to another type.

    Floats are truncated toward zero for an integer type, and rounded to nearest for a narrower float type. Integers
    wrap modulo 2^bits.

    Note: the page leaves floats beyond an integer type undefined. They wrap where they fit 32 bits (64 bits for u32,
    i64 and u64); otherwise they become the lowest number of that many bits, modulo 2^bits. NaN becomes false.
    """

    departures = {"rank 7": CLIPPED}
    workarounds = {"rank 7": OF_RANK_1}
    workspace = 8

    inputs = (In("data", NUMERIC | {BOOLEAN}),)
    outputs = (Out("output", "destination_type"),)
    foldable = Fold.BOUNDS

    destination_type: ElementType = attr(doc="the type of the output")

    def verify(self) -> None:
        if self.destination_type is STRING or not self.destination_type.is_known:
            raise OpError(
                f"destination_type is {self.destination_type}, expected a number type or boolean",
                attribute="destination_type",
            )

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        if data.dtype == object:
            return convert_dims(data, self.destination_type)
        if self.destination_type.is_float and self.destination_type.is_narrow:
            from irrun.tensor.rounding import round_to

            return round_to(data, self.destination_type.name)
        return cast(data, self.destination_type.dtype)


def convert_dims(dims: Array, to: ElementType) -> Array:
    """Convert partly known integers to another integer type; Undecided for other types."""
    if not to.is_integer:
        raise Undecided(f"dims as {to}")
    low = -(1 << (to.bits - 1)) if to.kind == "int" else 0
    high = low + (1 << to.bits) - 1

    def fit(item: int | Dim) -> Dim:
        dim = Dim.of(item)
        if low <= dim.lo and dim.hi <= high:
            return dim
        if to.name == "u64":
            raise Undecided(f"{dim} as {to}, of which a dim holds only half the range")
        if dim.is_static:
            return Dim.exactly((dim.lo - low) % (1 << to.bits) + low)
        # The size of an axis fits into 31 bits; any other value that may overflow becomes the range of the type.
        return dim if to.bits >= 32 and dim.lo >= 0 else Dim(low, high)

    return np.asarray(np.frompyfunc(fit, 1, 1)(dims), dtype=object)
