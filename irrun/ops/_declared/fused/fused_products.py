"""Products with constant weights, whose operands may be rounded to half precision."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from irrun.kernels.casting import bf16_bits, rounded, widened
from irrun.kernels.convolution import Convolution
from irrun.kernels.elementwise import Elementwise, finish, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.transposed_convolution import TransposedConvolution
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.convolution.transposed import TransposedConvolving
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32, U16

FEW_CHANNELS: Final = 16
"""Channels below which a tap has too few to be multiplied by itself."""


class FusedProduct(Fused):
    """activation(product + bias + summand), with operands in a ``precision``, and sums and epilogue in f32.

    Inputs are the data, and a summand in the shape of the output; ``bias`` is one row, or None.
    The data are f32, which are rounded, or the bits of bf16. Outputs are f32 if ``floats``, the bits of the result in
    bf16 if ``bf16``, or both.
    """

    weights: Array
    bias: Array | None
    activation: Elementwise | None
    _rounded: Array | None = None
    precision = F32
    floats = True
    bf16 = False

    def verify(self) -> None:
        super().verify()
        self.bias = None if self.bias is None else self.bias.reshape(-1)

    @property
    def takes_bf16(self) -> bool:
        """Return whether kernels take bits of bf16."""
        raise NotImplementedError

    def infer(self, *inputs: Fact | None) -> Any:
        made = [self.fact] if self.floats else []
        return tuple([*made, Fact(U16, self.fact.shape)] if self.bf16 else made)

    def in_precision(self, precision: ElementType) -> Self:
        """Return the operation with rounded operands."""
        return self.copied(precision=precision, _rounded=None)

    @property
    def rounded_weights(self) -> Array:
        """The weights rounded to the precision, as f32, which are kept from first use on."""
        if self._rounded is None:
            self._rounded = rounded(self.weights, self.precision.name)
        return self._rounded

    def with_bf16(self, *, floats: bool) -> Self:
        """Return the operation that also returns its result in bf16, or only that."""
        return self.copied(floats=floats, bf16=True)

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


@fused("FusedConvolution")
class FusedConvolution(FusedProduct):
    """A convolution with ``weights`` [G, O, I, *K].

    The data are first clipped from below to ``least``, one number for each channel.
    """

    reads_slices = True

    source: Convolving
    accurate: bool
    least: Array | None = None

    def verify(self) -> None:
        super().verify()
        self.least = None if self.least is None else self.least.reshape(-1)

    @property
    def is_depthwise(self) -> bool:
        """Return whether each channel has its own filter."""
        return self.weights.shape[0] > 1 and self.weights.shape[1:3] == (1, 1)

    @property
    def takes_bf16(self) -> bool:
        groups, _, depth, *kernel = self.weights.shape
        few = groups == 1 and depth < FEW_CHANNELS and kernel[-1] > 1
        return (depth % 2 == 0 or self.is_depthwise) and not few

    def in_precision(self, precision: ElementType) -> Self:
        return self.copied(precision=precision, _rounded=None, accurate=True)

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    @cached_property
    def prepared(self) -> Convolution:
        """The weights in the order in which NumPy multiplies them."""
        activation = in_place(self.activation)
        return Convolution(self.rounded_weights, self.bias, activation, self.least, accurate=self.accurate)

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        geometry = self.source.windows(data.ndim - 2).geometry(data.shape[2:], self.weights.shape[3:])
        return self.results(self.prepared(self.operand(data), geometry, summand))


@fused("FusedMatMul")
class FusedMatMul(FusedProduct):
    """A product of data [..., K] with a matrix [K, N]."""

    reads_slices = True

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[0] % 2

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        depth, columns = self.weights.shape
        lead = data.shape[:-1]
        rows = math.prod(lead)
        result = np.empty((*lead, columns), self.weights.dtype)
        out = result.reshape(rows, columns)
        np.matmul(self.operand(data).reshape(rows, depth), self.rounded_weights, out=out)
        added = None if summand is None else summand.reshape(rows, columns)
        finish(out, self.bias, added, in_place(self.activation))
        return self.results(result)


@fused("FusedTransposedConvolution")
class FusedTransposedConvolution(FusedProduct):
    """A transposed convolution with ``weights`` [G, I, O, *K], of the spatial sizes ``wanted`` if there are any."""

    source: TransposedConvolving
    wanted: tuple[int, ...] | None

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.inputs[0]) * math.prod(self.weights.shape[2:])

    @cached_property
    def prepared(self) -> TransposedConvolution:
        """The weights in the order in which NumPy multiplies them."""
        windows = self.source.windows(self.weights.ndim - 3)
        given = self.rounded_weights, windows.strides, windows.dilations, self.bias
        return TransposedConvolution(*given, in_place(self.activation))

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[1] % 2

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        begins, sizes = self.source.place(data.shape[2:], self.weights.shape[3:], self.wanted)
        channels = self.weights.shape[0] * self.weights.shape[2]
        out = np.empty((data.shape[0], *sizes, channels), self.weights.dtype)
        return self.results(self.prepared(self.operand(data), begins, channels_first(out), summand))
