"""Small models of SentencePiece."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from tests.cases import Array

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHAR = range(1, 5)
BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
START = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
Piece = tuple[str, float, int] | tuple[str, float]


def model(
    pieces: Sequence[Piece],
    algorithm: int = UNIGRAM,
    *,
    byte_fallback: bool = False,
    suffix: bool = False,
    prefix: bool = True,
    removes_spaces: bool = True,
) -> Array:
    """Return a serialized model with the pieces ``<unk>``, ``<s>`` and ``</s>``, and others from the id 3 on."""
    data = b""
    for text, score, *kind in (*START, *pieces):
        data += _bytes(1, _bytes(1, text.encode()) + b"\x15" + struct.pack("<f", score) + _int(3, *kind or [NORMAL]))
    data += _bytes(2, _int(3, algorithm) + _int(24, suffix) + _int(35, byte_fallback))
    data += _bytes(3, _int(3, prefix) + _int(4, removes_spaces) + _int(5, 1))
    return np.frombuffer(data, np.uint8)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    return bytes((value,)) if value < 128 else bytes((value & 127 | 128,)) + _varint(value >> 7)
