"""Seeded random inputs, for running a model without data."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.model.arguments import InputError
from irrun.model.port import Port
from irrun.ops.calling import conform
from irrun.tensor import Array, ElementType

MOST: Final = 2**40
"""The limit on the elements of a random input, far above any memory."""

INTEGERS: Final = 4
"""The upper bound of random integers, or the maximum of the type where that is less."""


def random_input(port: Port, seed: int = 0, sizes: tuple[int, ...] | None = None) -> Array:
    """Return a random value for an input, which depends on the seed and the index of the input only.

    Floats are standard normal, integers small and not negative, strings short words. A dynamic dim without ``sizes``
    is 1, or its nearest bound. InputError where the rank is dynamic, or the memory too small.
    """
    shape = _smallest(port) if sizes is None else sizes
    if math.prod(shape) > MOST:
        raise InputError(f'input "{port.any_name}" has {math.prod(shape)} elements, too many for a random value')
    try:
        return _value(np.random.default_rng([seed, port.index]), shape, port.element_type)
    except MemoryError:
        what = f'input "{port.any_name}" has {math.prod(shape)} elements, for which there is not enough memory'
        raise InputError(what) from None


def _value(generator: np.random.Generator, shape: tuple[int, ...], wanted: ElementType) -> Array:
    match wanted.kind:
        case "boolean":
            return generator.integers(0, 2, shape).astype(np.bool_)
        case "int" | "uint":
            positive = wanted.bits - 1 if wanted.kind == "int" else wanted.bits
            return generator.integers(0, min(INTEGERS, 2**positive), shape).astype(wanted.external)
        case "string":
            letters = generator.integers(0, 26, (*shape, 5), dtype=np.uint32) + ord("a")
            return letters.view("<U5").reshape(shape)
        case _:
            values = generator.standard_normal(shape, dtype=np.float32)
            return conform(values, wanted).astype(wanted.external) if wanted.is_known else values


def _smallest(port: Port) -> tuple[int, ...]:
    dims = port.partial_shape.dims
    if dims is None:
        raise InputError(f'input "{port.any_name}" has a dynamic rank, expected a shape for its random value')
    return tuple(dim.lo if dim.is_static else max(dim.lo, min(dim.hi, 1)) for dim in dims)
