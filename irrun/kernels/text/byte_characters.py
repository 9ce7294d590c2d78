"""The characters that stand for bytes in the vocabularies of GPT-2 and its successors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.strings import gather

Array = NDArray[Any]

_PLAIN: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS: Final = [byte for byte in range(256) if byte not in _PLAIN]

CHARACTERS: Final = {byte: chr(byte if byte in _PLAIN else 0x100 + _OTHERS.index(byte)) for byte in range(256)}
"""The character of each byte: printable ones are themselves, others are counted from U+0100."""

_BYTES: Final = {character: byte for byte, character in CHARACTERS.items()}


_ENCODED: Final = np.array(
    [[*text.encode()] + [0] * (2 - len(text.encode())) for text in CHARACTERS.values()], np.uint8
)


def to_characters(begins: Array, ends: Array, chars: Array, kept: Array) -> tuple[Array, Array, Array]:
    """Return strings, packed, with the UTF-8 of the character of each byte; those that are ``kept`` as they are."""
    lengths = (ends - begins).astype(np.int64)
    data = gather(begins, ends, chars)
    encoded = _ENCODED[data]
    is_plain = np.repeat(kept, lengths)
    encoded[is_plain, 0] = data[is_plain]
    is_used = np.ones_like(encoded, np.bool_)
    is_used[:, 1] = (encoded[:, 1] > 0) & ~is_plain
    edges = np.append(0, np.cumsum(is_used.sum(axis=1))).astype(np.int32)
    last = np.cumsum(lengths)
    return edges[last - lengths], edges[last], encoded[is_used]


def to_bytes(text: bytes) -> bytes:
    """Return the bytes for which characters stand; ValueError where one of them stands for none."""
    try:
        return bytes([_BYTES[character] for character in text.decode()])
    except (KeyError, UnicodeDecodeError):
        raise ValueError(f"{text!r} has characters that stand for no byte") from None
