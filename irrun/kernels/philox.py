"""Random streams of 32-bit words, and uniform floats and samples made from them.

The generators are Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3") and the Mersenne
Twister MT19937.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from irrun.kernels.threads import Array

Alignment = Literal["tensorflow", "pytorch"]

_LOW: Final = np.uint64(0xFFFFFFFF)
_HALF: Final = np.uint64(32)
_FRACTION_BITS: Final = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
"""Bits that TensorFlow takes from a word; PyTorch takes one more."""


def philox(key: int, counter: int, numbers: Array) -> Array:
    """Return four words for each of ``numbers``: uint32 [..., 4]."""
    n_low, n_high = numbers & _LOW, numbers >> _HALF
    c_low = np.full(numbers.shape, counter & 0xFFFFFFFF, np.uint64)
    c_high = np.full(numbers.shape, counter >> 32 & 0xFFFFFFFF, np.uint64)
    key_low, key_high = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(10):
        by_n, by_c = n_low * np.uint64(0xD2511F53), c_low * np.uint64(0xCD9E8D57)
        n_low, n_high = (by_c >> _HALF) ^ n_high ^ np.uint64(key_low), by_c & _LOW
        c_low, c_high = (by_n >> _HALF) ^ c_high ^ np.uint64(key_high), by_n & _LOW
        key_low, key_high = (key_low + 0x9E3779B9) & 0xFFFFFFFF, (key_high + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([n_low, n_high, c_low, c_high], axis=-1).astype(np.uint32)


def words(count: int, global_seed: int, op_seed: int, alignment: Alignment) -> Array:
    """Return the first words of the stream for both seeds: Philox for TensorFlow, Mersenne Twister for PyTorch.

    PyTorch's ignores ``op_seed``. With two seeds of zero, every call returns another stream.
    """
    if global_seed == 0 and op_seed == 0:
        global_seed = int(np.random.default_rng().integers(1, 1 << 32))
    if alignment == "pytorch":
        twister = np.random.RandomState(global_seed & 0xFFFFFFFF)
        return np.asarray(twister.randint(0, 1 << 32, count, dtype=np.uint32))
    return philox(global_seed, op_seed, np.arange(-(-count // 4), dtype=np.uint64)).reshape(-1)[:count]


def unit_floats(stream: Array, kind: Literal["f16", "bf16", "f32", "f64"], alignment: Alignment) -> Array:
    """Return numbers in [0, 1) on the grid of an element type; f64 uses two words for each."""
    bits = _FRACTION_BITS[kind] + (alignment == "pytorch")
    values = stream.astype(np.uint64)
    if kind == "f64":
        values = (values[0::2] << _HALF) | values[1::2]
    fraction = values & np.uint64((1 << bits) - 1)
    return np.asarray(np.ldexp(fraction.astype(np.float64 if kind == "f64" else np.float32), -bits))


def sample_classes(weights: Array, samples: Array, *, with_replacement: bool) -> Array:
    """Return, for each of ``samples`` [batch, count] in [0, 1], a class drawn by ``weights`` [batch, classes].

    It is the first class whose cumulative share is at least the sample. Without replacement its share is then removed.
    """
    shares = np.cumsum(weights.astype(np.float64), axis=-1)
    shares /= shares[:, -1:]
    result = np.empty(samples.shape, np.int64)
    classes = np.arange(weights.shape[1])
    for index in range(samples.shape[1]):
        picked = np.minimum((shares < samples[:, index : index + 1]).sum(axis=-1), weights.shape[1] - 1)
        result[:, index] = picked
        if with_replacement:
            continue
        at = picked[:, None]
        below = np.where(at > 0, np.take_along_axis(shares, np.maximum(at - 1, 0), axis=-1), 0)
        share = np.take_along_axis(shares, at, axis=-1) - below
        shares = np.where(classes >= at, shares - share, shares)
        shares = shares / shares[:, -1:]
    return result
