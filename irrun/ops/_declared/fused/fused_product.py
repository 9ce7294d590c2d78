"""The base class of products with constant weights, whose operands may be rounded to half precision."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from irrun.kernels.casting import bf16_bits, rounded, widened
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32, U16


class FusedProduct(Fused):
    """A product whose operands are those of a ``precision``, with sums and epilogue in f32.

    The data are f32, which are rounded, or the bits of bf16. Outputs are f32 if ``floats``, the bits of the result in
    bf16 if ``bf16``, or both.
    """

    def __init__(self, fact: Fact, weights: Array) -> None:
        super().__init__(fact)
        self.weights = weights
        self.precision: ElementType = F32
        self._rounded: Array | None = None
        self.floats = True
        self.bf16 = False

    @property
    def takes_bf16(self) -> bool:
        """Return whether kernels take bits of bf16."""
        raise NotImplementedError

    def infer(self, *inputs: Fact | None) -> Any:
        made = [self.fact] if self.floats else []
        return tuple([*made, Fact(U16, self.fact.shape)] if self.bf16 else made)

    def in_precision(self, precision: ElementType) -> Self:
        """Return the operation with rounded operands."""
        made = self.copied()
        made.precision, made._rounded = precision, None
        return made

    @property
    def rounded_weights(self) -> Array:
        """The weights rounded to the precision, as f32, which are kept from first use on."""
        if self._rounded is None:
            self._rounded = rounded(self.weights, self.precision.name)
        return self._rounded

    def with_bf16(self, *, floats: bool) -> Self:
        """Return the operation that also returns its result in bf16, or only that."""
        made = self.copied()
        made.floats, made.bf16 = floats, True
        return made

    def operand(self, data: Array) -> Array:
        """Return the data as f32, rounded to the precision."""
        return widened(data) if data.dtype == np.uint16 else rounded(data, self.precision.name)

    def results(self, result: Array) -> Array | tuple[Array, ...]:
        """Return the outputs for a result in f32."""
        if not self.bf16:
            return result
        bits = np.empty_like(result, np.uint16)
        np.copyto(bits, bf16_bits(result))
        return (result, bits) if self.floats else bits
