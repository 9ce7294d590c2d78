"""A small product on tiles of AMX, before a larger one is trusted to them."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irrun_kernels.amx import ROWS
from irrun_kernels.amx_product import POINTS
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES, OF_BF16, OF_BYTES, usable
from irrun_kernels.epilogue import IntegerEpilogueArguments, LevelNumbers
from irrun_kernels.micro import PANEL
from irrun_kernels.product import integer_product, plain_product, product
from irrun_kernels.tape import at, run
from irrun_kernels.tiling import tiling

Array = npt.NDArray[Any]

_COLUMNS: Final = PANEL
_DEPTH: Final = 2 * ROWS


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
    x, panel = (np.ascontiguousarray(factor) for factor in packed)
    out = np.zeros((POINTS, _COLUMNS), np.float32)
    cut = tiling(POINTS, 1, _DEPTH, _COLUMNS, has_tiles=True)
    arguments = plain_product(at(x), at(panel), at(out), POINTS, _DEPTH, _COLUMNS, cut)
    if each == 2:
        run(product, arguments._replace(bf16=1), cut.tasks, cut.workspace)
    else:
        zeros, ones, numbers = np.zeros(_COLUMNS), np.ones(_COLUMNS, np.float32), np.array(LevelNumbers(), np.float32)
        sides = IntegerEpilogueArguments(at(zeros), at(ones), at(zeros), _COLUMNS, at(numbers))
        end = arguments.epilogue._replace(integers=sides)
        run(integer_product, arguments._replace(epilogue=end), cut.tasks, cut.workspace)
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
