"""A small product on tiles of AMX, before a larger one is trusted to them."""

from __future__ import annotations

import ctypes
import warnings
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irrun_kernels.amx import ROWS
from irrun_kernels.amx_product import POINTS, configure_tiles, release_tiles
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES, OF_BF16, OF_BYTES, usable
from irrun_kernels.epilogue import LevelNumbers
from irrun_kernels.micro import multiply_bytes, multiply_taps
from irrun_kernels.native import Address, Read, Write, kernel, record

Array = npt.NDArray[Any]

_VECTORS: Final = 3
_COLUMNS: Final = ROWS * _VECTORS
_DEPTH: Final = 2 * ROWS
_STEP: Final = 4 * _DEPTH


class Probe(NamedTuple):
    """Arguments of `probe`: rows of the left factor, a panel, and the addresses of the rows of the result.

    ``numbers`` are those of a product of bytes, or 0; it begins with ``zeros``, its factors are ``ones``.
    """

    left: Read[Address]
    panel: Read[Address]
    out: Write[Address]
    numbers: Read[Address]
    zeros: Read[Address]
    ones: Read[Address]


@kernel(Probe)
def probe(arguments: Any, task: int, workspace: int) -> None:
    """A product of some tiles."""
    c = record(arguments)
    low, high = np.float32(-np.inf), np.float32(np.inf)
    extent, left, ahead = (POINTS, _DEPTH), (c.left, _STEP), (c.panel, 0)
    configure_tiles()
    if c.numbers == 0:
        results = (c.out, 0, 0)
        multiply_taps((POINTS, _VECTORS, 1), extent, left, (c.panel, 0), ahead, 0, results, _COLUMNS, low, high)
    else:
        sides, codes = (c.zeros, c.ones, c.zeros), (0, 0, c.out, 0)
        multiply_bytes((POINTS, _VECTORS), extent, left, c.panel, ahead, sides, _COLUMNS, c.numbers, codes)
    release_tiles()


@cache
def multiplies_bf16() -> bool:
    """Return whether the tiles of this processor multiply bf16."""
    return HAS_BF16_TILES and _is_right(2)


@cache
def multiplies_bytes() -> bool:
    """Return whether the tiles of this processor multiply bytes."""
    return HAS_BYTE_TILES and _is_right(4)


def _is_right(each: int) -> bool:
    """Compare a product of ``each`` numbers in a word with that of integers, which has no roundings."""
    draw = np.random.default_rng(0)
    left = draw.integers(0, 100, (POINTS, each * _DEPTH))
    right = draw.integers(-100, 100, (each * _DEPTH, _COLUMNS))
    words = right.reshape(-1, each, _COLUMNS).swapaxes(1, 2)
    packed = (_bf16_bits(left), _bf16_bits(words)) if each == 2 else (left.astype(np.uint8), words.astype(np.int8))
    factors = [np.ascontiguousarray(factor) for factor in packed]
    out = np.zeros((POINTS, _COLUMNS), np.float32)
    rows = np.array([row.ctypes.data for row in out], np.int64)
    numbers = np.array(LevelNumbers(), np.float32)
    given = (*factors, rows, numbers, np.zeros(_COLUMNS, np.float32), np.ones(_COLUMNS, np.float32))
    addresses = [array.ctypes.data for array in given]
    if each == 2:
        addresses[3] = 0
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(probe.address)
    call(np.array([tuple(addresses)], probe.record).ctypes.data, 0, None)
    if np.array_equal(out, left @ right):
        return True
    tiles, instead = (usable("bf16 tiles"), OF_BF16) if each == 2 else (usable("byte tiles"), OF_BYTES)
    warnings.warn(
        f"{tiles[0].name} of this processor computes wrong products; {instead.name} is used", RuntimeWarning, 3
    )
    return False


def _bf16_bits(numbers: Array) -> Array:
    """The bits of small integers in bf16, which holds them."""
    return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
