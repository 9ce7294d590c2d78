"""Repair of bytes that are not UTF-8."""

from __future__ import annotations

WIDTHS = (1,) * 12 + (2, 2, 3, 4)
"""The bytes of a character by the first four bits of its first byte."""
REPLACEMENT = "\ufffd".encode()
_LEADS = ((0b110, 5, 2, 0x80), (0b1110, 4, 3, 0x800), (0b11110, 3, 4, 0x10000))
"""The first bits of a lead byte, the number of bits after them, the bytes of the sequence, the least code point."""


def repaired(text: bytes, replacement: bytes) -> bytes:
    """Return a text in which a replacement stands for bytes that are not UTF-8.

    A stray byte and a sequence that breaks off are one replacement each, an overlong sequence one for each byte.
    Surrogates, and code points up to 1FFFFF, are kept.
    """
    try:
        text.decode()
    except UnicodeDecodeError:
        return _repaired(text, replacement)
    return text


def _repaired(text: bytes, replacement: bytes) -> bytes:
    found = bytearray()
    at = 0
    while at < len(text):
        lead = text[at]
        if lead < 0x80:
            found.append(lead)
            at += 1
            continue
        kind = next((kind for kind in _LEADS if lead >> kind[1] == kind[0]), None)
        if kind is None:
            found += replacement
            at += 1
            continue
        _, bits, size, least = kind
        point, end = lead & ((1 << bits) - 1), at + 1
        while end < min(at + size, len(text)) and text[end] >> 6 == 0b10:
            point = point << 6 | text[end] & 0x3F
            end += 1
        if end < at + size:
            found += replacement
        elif point < least:
            found += replacement * size
        else:
            found += text[at:end]
        at = end
    return bytes(found)
