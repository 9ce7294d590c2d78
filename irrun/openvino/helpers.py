"""Values of types below a byte, as OpenVINO's ``helpers``: the first value in the highest bits of a byte.

The .bin file, and so ``irrun.tensor.packing``, has them in the lowest bits; u3 and u6 are the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.openvino.values.shapes import Shape
from irrun.openvino.values.types import Type
from irrun.tensor import Array, packing, storing

_SPLIT = ("u3", "u6")
_WHOLE = ("u1", "u2", "u4", "i4", "nf4", "f4e2m1")


def pack_data(array: Array, type: Type) -> Array:
    """Return integers of a packed type as bytes; nf4 and f4e2m1 are given as their codes."""
    name = _name(type)
    dtype = np.int8 if name == "i4" else np.uint8
    codes = np.asarray(array).astype(dtype)
    if not np.array_equal(codes, array):
        raise RuntimeError(f"the values do not fit {np.dtype(dtype)}, which {name} is packed from")
    if name in _SPLIT:
        return np.frombuffer(storing.pack(codes, name), np.uint8)
    bits = np.unpackbits(codes.reshape(-1, 1).view(np.uint8), axis=1)[:, 8 - type.bitwidth :]
    return np.packbits(bits)


def unpack_data(array: Array, type: Type, shape: Sequence[int] | Shape) -> Array:
    """Return the integers of a packed type in a shape."""
    name, sizes = _name(type), [int(size) for size in shape]
    count = int(np.prod(sizes))
    if name in _SPLIT:
        return packing.unpack(np.asarray(array).view(np.uint8), name, count).astype(np.uint8).reshape(sizes)
    bits = np.unpackbits(np.asarray(array).view(np.uint8)).reshape(-1, type.bitwidth)
    high = bits[:, :1] if name == "i4" else np.zeros((len(bits), 1), np.uint8)
    codes = np.packbits(np.concatenate([np.repeat(high, 8 - type.bitwidth, axis=1), bits], axis=1), axis=1)
    return np.resize(codes.view(np.int8) if name == "i4" else codes, sizes)


def _name(type: Any) -> str:
    name = str(type.element.name)
    if name not in (*_SPLIT, *_WHOLE):
        raise RuntimeError(f"{name} is not packed, expected one of {', '.join(sorted((*_SPLIT, *_WHOLE)))}")
    return name


__all__ = ["pack_data", "unpack_data"]
