"""The characters that stand for bytes in the vocabularies of GPT-2 and its successors."""

from __future__ import annotations

from typing import Final

_PLAIN: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS: Final = [byte for byte in range(256) if byte not in _PLAIN]

CHARACTERS: Final = {byte: chr(byte if byte in _PLAIN else 0x100 + _OTHERS.index(byte)) for byte in range(256)}
"""The character of each byte: printable ones are themselves, others are counted from U+0100."""

_BYTES: Final = {character: byte for byte, character in CHARACTERS.items()}


def to_characters(text: bytes) -> bytes:
    """Return the UTF-8 of the characters that stand for each byte."""
    return text.decode("latin-1").translate(CHARACTERS).encode()


def to_bytes(text: bytes) -> bytes:
    """Return the bytes for which characters stand; ValueError where one of them stands for none."""
    try:
        return bytes([_BYTES[character] for character in text.decode()])
    except (KeyError, UnicodeDecodeError):
        raise ValueError(f"{text!r} has characters that stand for no byte") from None
