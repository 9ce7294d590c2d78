"""Arrays to bytes of the .bin file, in the layout that `irrun.tensor.packing` describes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irrun.tensor.packing import SHIFTS_IN_BYTE, SPLIT_BITS, STORED_AS_CARRIED, STORED_AS_CODES, group_of, shifts_down
from irrun.tensor.rounding import encode


def pack(values: NDArray[Any], element_type: str) -> bytes:
    """Encode `values` in row-major order as the .bin file stores them; the inverse of `packing.unpack`.

    Values that `element_type` cannot represent are rounded as in `irrun.tensor.rounding.encode`; integers wrap modulo
    2^bits. ValueError for string and unknown element types, TypeError for values that are not integers (or booleans)
    where `element_type` is an integer type.
    """
    flat = np.asarray(values).reshape(-1)
    if element_type == "boolean":
        return flat.astype(np.bool_).tobytes()
    if element_type in STORED_AS_CARRIED:
        return _pack_carried(flat, element_type)
    group, _ = group_of(element_type)
    codes = encode(flat, element_type)
    if element_type in STORED_AS_CODES:
        return codes.astype(STORED_AS_CODES[element_type]).tobytes()
    groups = np.append(codes, np.zeros(-codes.size % group, np.uint8)).reshape(-1, group)
    if element_type in SPLIT_BITS:
        return _pack_split(groups, *SPLIT_BITS[element_type])
    return _join(groups, np.array(SHIFTS_IN_BYTE[element_type], np.uint8)).tobytes()


def _pack_carried(flat: NDArray[Any], element_type: str) -> bytes:
    stored = STORED_AS_CARRIED[element_type]
    if stored.kind != "f" and flat.dtype.kind not in "biu":
        raise TypeError(f"{element_type} takes integers, got {flat.dtype}")
    with np.errstate(all="ignore"):
        values = flat.astype(stored)
    return values.tobytes()


def _pack_split(groups: NDArray[Any], low_bits: int, high_bits: int) -> bytes:
    low = groups.reshape(len(groups), 2, groups.shape[1] // 2) & ((1 << low_bits) - 1)
    high = groups[:, None] >> low_bits
    return np.hstack([_join(low, shifts_down(low_bits)), _join(high, shifts_down(high_bits))]).tobytes()


def _join(fields: NDArray[Any], shifts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Combine the bit fields along the last axis into bytes."""
    joined: NDArray[np.uint8] = np.bitwise_or.reduce(fields << shifts, axis=-1)
    return joined
