"""Samples of Poisson distributions, drawn like PyTorch and TensorFlow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from irrun.kernels.philox import Alignment, philox, unit_floats
from irrun.kernels.threads import Array

_RESERVED: Final = 256
_BATCH: Final = 1024


def sample_poisson(rates: Array, global_seed: int, op_seed: int, alignment: Alignment) -> Array:
    """Draw a number for each rate, in order: the count of uniform numbers used depends on their values."""
    if global_seed == 0 and op_seed == 0:
        global_seed = int(np.random.default_rng().integers(1, 1 << 32))
    stream = _twister(global_seed) if alignment == "pytorch" else iter(())
    result = np.zeros(rates.size)
    for index, rate in enumerate(rates.reshape(-1).astype(np.float64).tolist()):
        if alignment == "tensorflow":
            stream = _substream(global_seed, op_seed, index)
        if rate > 0:
            draw = _hormann if rate >= 10 else _knuth
            result[index] = draw(rate, stream.__next__)
    return result.reshape(rates.shape)


def _twister(seed: int) -> Iterator[float]:
    twister = np.random.RandomState(seed & 0xFFFFFFFF)
    while True:
        yield from unit_floats(twister.randint(0, 1 << 32, 2 * _BATCH, dtype=np.uint32), "f64", "pytorch").tolist()


def _substream(global_seed: int, op_seed: int, index: int) -> Iterator[float]:
    """Yield the numbers for one output; the two of each block in reverse order."""
    start = index * _RESERVED
    while True:
        for block in philox(global_seed, op_seed, np.arange(start, start + 8, dtype=np.uint64)):
            yield from reversed(unit_floats(block, "f64", "tensorflow").tolist())
        start += 8


def _knuth(rate: float, uniform: Callable[[], float]) -> int:
    """Multiply uniform numbers until the product is at most exp(-rate); see Knuth, Seminumerical Algorithms."""
    bound, product, count = math.exp(-rate), uniform(), 0
    while product > bound:
        product *= uniform()
        count += 1
    return count


def _hormann(rate: float, uniform: Callable[[], float]) -> int:
    """Sample by transformed rejection (Hormann, The transformed rejection method for generating Poisson variables)."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        distance = 0.5 - abs(u)
        if distance == 0:
            continue
        k = math.floor((2 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= squeeze:
            return k
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        share = v * inverse_alpha / (a / distance**2 + b)
        if share == 0 or math.log(share) <= k * math.log(rate) - rate - math.lgamma(k + 1):
            return k
