"""The longest token of a vocabulary at a place of a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


class LongestMatch:
    """Finds tokens in bytes. Empty tokens are never found."""

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        self.ids: Final = {token: id for token, id in ids.items() if token}
        sizes: dict[bytes, set[int]] = {}
        for token in self.ids:
            sizes.setdefault(token[:2], set()).add(len(token))
        self._ascending: Final[dict[bytes, tuple[int, ...]]] = {}
        self._sizes: Final = {head: tuple(sorted(found, reverse=True)) for head, found in sizes.items()}

    def at(self, text: bytes, start: int) -> tuple[int, int] | None:
        """Return the id of the longest token at a place, and where it ends; None without one."""
        ids = self.ids
        for size in self._sizes.get(text[start : start + 2], ()):
            found = ids.get(text[start : start + size])
            if found is not None and start + size <= len(text):
                return found, start + size
        found = ids.get(text[start : start + 1])
        return None if found is None else (found, start + 1)

    def prefixes(self, text: bytes, start: int) -> list[tuple[int, int]]:
        """Return the id and the end of each token at a place, the shortest first."""
        ids, last = self.ids, len(text)
        found = []
        first = ids.get(text[start : start + 1])
        if first is not None:
            found.append((first, start + 1))
        for size in reversed(self._sizes.get(text[start : start + 2], ())):
            if size > 1 and start + size <= last:
                id = ids.get(text[start : start + size])
                if id is not None:
                    found.append((id, start + size))
        return found

    def ascending(self, head: bytes) -> tuple[int, ...]:
        """Return the sizes of the tokens that may begin with two bytes, the smallest first."""
        sizes = self._ascending.get(head)
        if sizes is None:
            others = [size for size in reversed(self._sizes.get(head, ())) if size > 1]
            sizes = self._ascending[head] = ((1,) if head[:1] in self.ids else ()) + tuple(others)
        return sizes

    def all(self, text: bytes) -> list[int]:
        """Return the ids of the longest tokens, one after the other; ValueError where there is none."""
        found, at = [], 0
        while at < len(text):
            token = self.at(text, at)
            if token is None:
                raise ValueError(f"no token begins with the byte {text[at]} at {at}")
            found.append(token[0])
            at = token[1]
        return found
