from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, ElementType, Fact, Fold, Op, OpError, Out, Shape, attr, op
from irrun.ops.shapes import check_extent
from irrun.tensor import StoredFact
from irrun.tensor.element_type import F4E2M1, F8E4M3, F8E5M2, F16, I4, NF4, U4
from irrun.tensor.packing import halves, storage_size, unpack

_LARGE: Final = 1 << 12
"""The size from which on constants of few bits are not decoded until their value is used."""

_PAIRS: Final = (U4, I4, NF4, F4E2M1)
"""Types of which a byte holds two."""


class WrongSize(OpError):
    """A constant has fewer bytes than its shape and type need, or invalid string data."""

    code = "IR503"


@op("Const", opset=1, page="constant-1")
class Const(Op):
    """A constant tensor whose values are in the weights file.

    ``offset`` and ``size`` count bytes. Surplus bytes at the end are ignored.
    """

    outputs = (Out("output", "element_type"),)
    foldable = Fold.NEVER

    element_type: ElementType = attr(doc="the type of the elements", exact=True)
    shape: Shape = attr(doc="the shape, every dim known", exact=True)
    offset: int = attr(doc="offset of the values, in bytes", ge=0, exact=True)
    size: int = attr(doc="size of the values, in bytes", ge=0, exact=True)

    def verify(self) -> None:
        if not self.element_type.is_known:
            raise OpError("a constant of type dynamic has no values", attribute="element_type")
        if not self.shape.is_static:
            raise OpError(f"the shape {self.shape} of a constant is not static", attribute="shape")
        if self.size < self.needed:
            what = f"size is {amount(self.size, 'byte')}, expected {self.needed} for {self.element_type}{self.shape}"
            raise WrongSize(what, attribute="size")
        check_extent(self.shape, attribute="shape")

    @property
    def needed(self) -> int:
        """The number of bytes of the elements; for strings, all bytes."""
        if self.element_type.kind == "string":
            return self.size
        return storage_size(self.element_type.name, self.shape.size.lo)

    def infer(self, *, weights: Callable[[int, int], Array | None]) -> Fact:
        data = weights(self.offset, self.size)
        if data is None:
            return Fact(self.element_type, self.shape)
        count = self.shape.size.lo
        if self.element_type.kind == "string":
            from irrun.tensor.strings import unpack_strings

            try:
                values = unpack_strings(data)
            except ValueError as error:
                raise WrongSize(f"the bytes are not strings: {error}", attribute="offset") from None
            if len(values) != count:
                raise WrongSize(
                    f"found {amount(len(values), 'string')}, expected {count} for {self.shape}",
                    attribute="shape",
                )
        elif self.element_type is F16 and count >= _LARGE:
            return StoredFact(F16, self.shape, halves(data, count).reshape(self.shape.static), _widen)
        elif self.element_type in _PAIRS and count >= _LARGE and self.shape.static[-1] % 2 == 0:
            pairs = np.frombuffer(data, np.uint8, count // 2).reshape(*self.shape.static[:-1], -1)
            return StoredFact(self.element_type, self.shape, pairs, self._unpacked)
        elif self.element_type in (F8E4M3, F8E5M2) and count >= _LARGE:
            codes = np.frombuffer(data, np.uint8, count).reshape(self.shape.static)
            return StoredFact(self.element_type, self.shape, codes, self._unpacked)
        else:
            values = unpack(data, self.element_type.name, count)
        return Fact(self.element_type, self.shape, values.reshape(self.shape.static))

    def _unpacked(self, stored: Array) -> Array:
        return unpack(stored, self.element_type.name, self.shape.size.lo).reshape(self.shape.static)

    def run(self) -> Array:
        raise NotImplementedError("the value of a Const is known before anything runs")


class HeldConst(Const):
    """A constant tensor with its values in memory."""

    fact: Fact

    @staticmethod
    def of(fact: Fact) -> HeldConst:
        op = object.__new__(HeldConst)
        op.__dict__.update(element_type=fact.type, shape=fact.shape, offset=0, size=0, fact=fact)
        return op

    def infer(self, *, weights: Callable[[int, int], Array | None]) -> Fact:
        del weights
        return self.fact


def _widen(halves: Array) -> Array:
    with np.errstate(all="ignore"):
        return halves.astype(np.float32)
