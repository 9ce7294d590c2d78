"""Cuts of a text that no token crosses, so that the parts can be encoded, and remembered, on their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_BEFORE_SPACE: Final = re.compile(rb"(?<=[^ \x81])(?= |\xe2\x96\x81)|(?<=[^\x96]\x81)(?= |\xe2\x96\x81)")
"""The places before a space or U+2581 that follow anything else."""
_AHEAD: Final = 3
"""The number of bytes after a place that are compared."""


class Cuts:
    """Finds the places before spaces, or U+2581, that no token crosses."""

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._crossed: Final[set[bytes]] = set()
        for token in tokens:
            for place in _BEFORE_SPACE.finditer(token):
                at = place.start()
                self._crossed.add(token[at - 1 : at + _AHEAD])
            for size in range(1, _AHEAD):
                # A token may end inside U+2581.
                if token[-size:] == b"\xe2\x96\x81"[:size] and len(token) > size:
                    self._crossed.add(token[-size - 1 :])

    def parts(self, text: bytes) -> list[bytes]:
        """Return the parts of a text."""
        if text.find(b" ", 1) < 0 and text.find(b"\xe2\x96\x81", 1) < 0:
            return [text]
        crossed, found, begin = self._crossed, [], 0
        for place in _BEFORE_SPACE.finditer(text):
            at = place.start()
            if not any(text[at - 1 : at + size] in crossed for size in range(1, _AHEAD + 1)):
                found.append(text[begin:at])
                begin = at
        found.append(text[begin:])
        return found
