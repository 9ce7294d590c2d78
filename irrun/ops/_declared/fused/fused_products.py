"""Products with constant weights: of f32, whose operands may be rounded to half precision, and of quantised values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from irrun.kernels.casting import bf16_bits, rounded, widened
from irrun.kernels.convolution import Convolution
from irrun.kernels.elementwise import Elementwise, finish
from irrun.kernels.layout import channels_last
from irrun.kernels.matmul import matmul
from irrun.kernels.quantize import Levels
from irrun.kernels.transposed_convolution import convolve_transposed, stored_by_taps
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.convolution.transposed import TransposedConvolving
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32, U8, U16

FEW_CHANNELS: Final = 16
"""Channels below which a tap has too few to be multiplied by itself."""


class Weighted(Fused):
    """An operation that sums products with constant ``weights``: a matrix [K, N], or [G, O, I, *K]."""

    weights: Array

    def multiply_adds(self, sizes: Sizes) -> int:
        summed = self.weights.shape[2:] if self.weights.ndim > 2 else self.weights.shape[:1]
        return math.prod(sizes.output) * math.prod(summed)


def multiplied(
    data: Array, weights: Array, bias: Array | None, summand: Array | None, activation: Elementwise | None
) -> Array:
    """activation(data · weights + bias + summand) of data [..., K] and a matrix [K, N]."""
    result = matmul(data, weights)
    finish(result, bias, summand, activation)
    return result


class FusedProduct(Weighted):
    """activation(product + bias + summand), with operands in a ``precision``, and sums and epilogue in f32.

    Inputs are the data, and a summand in the shape of the output; ``bias`` is one row, or None.
    The data are f32, which are rounded, or the bits of bf16. Outputs are f32 if ``floats``, the bits of the result in
    bf16 if ``bf16``, or both.
    """

    weights: Array
    bias: Array | None
    activation: Elementwise | None
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
        return self.copied(precision=precision)

    @cached_property
    def rounded_weights(self) -> Array:
        """The weights rounded to the precision, as f32."""
        return rounded(self.weights, self.precision.name)

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
        bits = bf16_bits(result)
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
        return self.copied(precision=precision, accurate=True)

    @cached_property
    def prepared(self) -> Convolution:
        """The weights in the order in which NumPy multiplies them."""
        return Convolution(self.rounded_weights, self.bias, self.activation, self.least, accurate=self.accurate)

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        geometry = self.source.windows(data.ndim - 2).geometry(data.shape[2:], self.weights.shape[3:])
        return self.results(self.prepared(self.operand(data), geometry, summand))


@fused("FusedMatMul")
class FusedMatMul(FusedProduct):
    """A product of data [..., K] with a matrix [K, N]."""

    reads_slices = True

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[0] % 2

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        return self.results(multiplied(self.operand(data), self.rounded_weights, self.bias, summand, self.activation))


@fused("FusedTransposedConvolution")
class FusedTransposedConvolution(FusedProduct):
    """A transposed convolution with ``weights`` [G, I, O, *K], of the spatial sizes ``wanted`` if there are any."""

    source: TransposedConvolving
    wanted: tuple[int, ...] | None

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.inputs[0]) * math.prod(self.weights.shape[2:])

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[1] % 2

    @cached_property
    def prepared(self) -> Array:
        """The weights as NumPy multiplies them."""
        return stored_by_taps(self.rounded_weights)

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        windows, x = self.source.windows(data.ndim - 2), self.operand(data)
        place = self.source.place(data.shape[2:], self.weights.shape[3:], self.wanted)
        result = convolve_transposed(x, self.prepared, windows.strides, windows.dilations, *place)
        added = None if summand is None else channels_last(summand)
        finish(channels_last(result), self.bias, added, self.activation)
        return self.results(result)


@dataclass(frozen=True, slots=True)
class IntegerEpilogue:
    """The epilogue of integer sums: activation(rounded(sum * factor + bias) + summand).

    A sum is that of weights times levels, less the ``zero`` of the latter. ``factor`` and ``bias`` are f32 rows, one
    element for each column. Numbers are rounded to levels ``between`` if these are not None. A ``summand`` is a tensor
    of levels, or of f32 if that is None. The result is f32 if ``floats``, and ``levels`` of it if these are not None:
    those of the quotients by ``multiples``, which broadcast to it, if there are such.
    """

    zero: int
    factor: Array
    bias: Array
    between: Levels | None = None
    summand: Levels | None = None
    activation: Elementwise | None = None
    floats: bool = True
    levels: Levels | None = None
    multiples: Array | None = None

    @property
    def early(self) -> Elementwise | None:
        """The activation, if it follows the sum without a rounding between them."""
        return self.activation if self.between is None else None


class FusedIntegerProduct(Weighted):
    """A product of levels and weights of 8 bits; outputs are f32, levels, or both.

    NumPy has no fast products of integers: it multiplies f32 with weights that include the factors.
    """

    weights: Array
    epilogue: IntegerEpilogue

    def infer(self, *inputs: Fact | None) -> Any:
        made = [self.fact] if self.epilogue.floats else []
        return tuple(made if self.epilogue.levels is None else [*made, Fact(U8, self.fact.shape)])

    def with_levels(self, levels: Levels, multiples: Array | None = None, *, floats: bool) -> Self:
        """Return the operation that also returns levels of its result, or of its quotients, or only these."""
        activation = self.epilogue.activation
        if activation is not None and activation.name == "clamp" and not floats:
            low, high = activation.parameters
            activation = None if low <= levels.low and levels.high <= high else activation
        end = replace(self.epilogue, levels=levels, multiples=multiples, floats=floats, activation=activation)
        return self.copied(epilogue=end)

    def centred(self, codes: Array) -> Array:
        """Return levels less that of zero, as f32."""
        return np.subtract(codes, self.epilogue.zero, dtype=np.float32)

    def added(self, summand: Array | None) -> Array | None:
        """Return the summand as f32."""
        if summand is None or self.epilogue.summand is None:
            return summand
        return self.epilogue.summand.dequantize(summand)

    def results(self, result: Array, summand: Array | None) -> tuple[Array, ...]:
        """Return the outputs for sum * factor + bias in f32.

        Summand and activation are part of that already, unless it is rounded before.
        """
        levels, between = self.epilogue.levels, self.epilogue.between
        if between is not None:
            result = between.dequantize(between.quantize(result))
            finish(result, None, summand, self.epilogue.activation)
        if levels is None:
            return (result,)
        codes = levels.quantize(result if self.epilogue.multiples is None else result / self.epilogue.multiples)
        return (result, codes) if self.epilogue.floats else (codes,)


@fused("FusedIntegerMatMul")
class FusedIntegerMatMul(FusedIntegerProduct):
    """A product of levels [..., K] and constant weights i8 [K, N].

    Inputs are the levels, and a summand in the shape of the output.
    """

    @cached_property
    def prepared(self) -> Array:
        """The weights as f32, with the factors."""
        return self.weights * self.epilogue.factor

    def run(self, codes: Array, summand: Array | None = None) -> tuple[Array, ...]:
        added, end = self.added(summand), self.epilogue
        early = added if end.between is None else None
        return self.results(multiplied(self.centred(codes), self.prepared, end.bias, early, end.early), added)


@fused("FusedIntegerConvolution")
class FusedIntegerConvolution(FusedIntegerProduct):
    """A convolution of levels with constant weights i8 [G, O, I, *K].

    Inputs are the levels, and a summand in the shape of the output.
    """

    source: Convolving
    accurate: bool

    @cached_property
    def prepared(self) -> Convolution:
        """The weights as f32, with the factors."""
        factor = self.epilogue.factor.reshape(*self.weights.shape[:2], *(1,) * (self.weights.ndim - 2))
        return Convolution(self.weights * factor, self.epilogue.bias, self.epilogue.early, accurate=self.accurate)

    def run(self, codes: Array, summand: Array | None = None) -> tuple[Array, ...]:
        geometry = self.source.windows(codes.ndim - 2).geometry(codes.shape[2:], self.weights.shape[3:])
        added = self.added(summand)
        early = added if self.epilogue.between is None else None
        return self.results(self.prepared(self.centred(codes), geometry, early), added)
