"""Numbers of bytes as text."""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = r"(?ai)(\d{1,18}(?:\.\d{1,9})?)\s*((?:[kmgtp]i?)?b?)"
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def parse_bytes(text: str) -> int:
    """Read a positive number of bytes such as ``4096``, ``500MB`` or ``1.5 GiB``; ValueError with the expectation."""
    from fractions import Fraction

    match = re.fullmatch(_SIZE, text.strip())
    size = 0 if match is None else int(Fraction(match[1]) * _scale(match[2].lower()))
    if size <= 0:
        raise ValueError("expected a positive number of bytes such as 500MB or 4GiB")
    return size


def _scale(unit: str) -> int:
    power = " kmgtp".index(unit[0]) if unit[:1] in "kmgtp" and unit else 0
    base: int = 1000 if unit.endswith("b") and "i" not in unit and power else 1024
    return int(base**power)


def bytes_text(size: int) -> str:
    """Format a number of bytes with a binary unit, such as ``1.5 GiB``."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    if power == 0:
        return f"{size} bytes"
    whole, rest = divmod(size, 1 << 10 * power)
    if whole >= 100_000:
        return f"2^{size.bit_length() - 1} bytes or more"
    return f"{whole + rest / (1 << 10 * power):.4g} {_UNITS[power]}"
