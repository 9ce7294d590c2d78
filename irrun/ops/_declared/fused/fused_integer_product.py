"""Products of quantised activations and integer weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from irrun.kernels.convolution import Convolution
from irrun.kernels.elementwise import Elementwise, finish, in_place
from irrun.kernels.quantize import Levels
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor.element_type import U8

F32: Final = np.dtype(np.float32)


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
    def early(self) -> Callable[[Array], object] | None:
        """The activation, if it follows the sum without a rounding between them."""
        return in_place(self.activation) if self.between is None else None


class FusedIntegerProduct(Fused):
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
        data = np.empty_like(codes, F32)
        np.copyto(data, codes)
        if self.epilogue.zero:
            data -= np.float32(self.epilogue.zero)
        return data

    def added(self, summand: Array | None) -> Array | None:
        """Return the summand as f32."""
        if summand is None or self.epilogue.summand is None:
            return summand
        return self.epilogue.summand.dequantize(summand, np.empty_like(summand, F32))

    def results(self, result: Array, summand: Array | None) -> tuple[Array, ...]:
        """Return the outputs for sum * factor + bias in f32, which is overwritten.

        Summand and activation are part of that already, unless it is rounded before.
        """
        levels, between = self.epilogue.levels, self.epilogue.between
        if levels is None and between is None:
            return (result,)
        codes = np.empty_like(result, np.uint8)
        if between is not None:
            between.quantize(result, codes)
            between.dequantize(codes, result)
            if summand is not None:
                result += summand
            if self.epilogue.activation is not None:
                self.epilogue.activation.in_place(result)
        if levels is None:
            return (result,)
        levels.quantize(result if self.epilogue.multiples is None else result / self.epilogue.multiples, codes)
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

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    def run(self, codes: Array, summand: Array | None = None) -> tuple[Array, ...]:
        depth, columns = self.weights.shape
        result = np.empty((*codes.shape[:-1], columns), F32)
        out, added = result.reshape(-1, columns), self.added(summand)
        np.matmul(self.centred(codes).reshape(-1, depth), self.prepared, out=out)
        early = added if self.epilogue.between is None else None
        early = None if early is None else early.reshape(-1, columns)
        finish(out, self.epilogue.bias, early, self.epilogue.early)
        return self.results(result, added)


@fused("FusedIntegerConvolution")
class FusedIntegerConvolution(FusedIntegerProduct):
    """A convolution of levels with constant weights i8 [G, O, I, *K].

    Inputs are the levels, and a summand in the shape of the output.
    """

    source: Convolving
    accurate: bool

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

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
