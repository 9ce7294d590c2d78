"""Regular expressions, which the package ``regex`` runs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final

from irrun.diagnostics.installing import install
from irrun.kernels.text.characters import CharacterSet
from irrun.kernels.text.pcre import translated
from irrun.kernels.text.pcre_classes import InvalidPattern, UnsupportedPattern, literal
from irrun.kernels.text.splitting import Match
from irrun.ops import OpError

_REWRITTEN = {
    r" ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)": r"(?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))",
    r"(^)(.)": r"(^)([\s\S])",
    r"(^)(.+)": r"(^)([\s\S])",
}
"""Patterns of old converters that OpenVINO replaces in normalizations."""


_ONE: Final = re.compile(r"[cl](?:\|[cl])*|\([cl](?:\|[cl])*\)\+?|[cl]\+")
_ASCII: Final = "".join(map(chr, range(128)))
_NONE: Final = "[^\x00-\U0010ffff]"


class Pattern:
    """A pattern of PCRE2, which the package ``regex`` runs, and on texts of ASCII ``re``, which is faster.

    OpError where ``regex`` is not installed, or where the pattern has what is not translated; InvalidPattern where
    PCRE2 does not compile it.
    """

    def __init__(self, pattern: bytes) -> None:
        try:
            import regex
        except ImportError:
            raise OpError(f"regular expressions need the package regex: {install('text')}") from None
        self._pattern: Final = pattern.decode()
        self._regex: Final = regex
        try:
            found = translated(self._pattern, _is_script)
        except UnsupportedPattern as error:
            raise OpError(f"the pattern {self._pattern!r} has {error}, which irrun does not support") from None
        try:
            self._any: Final = regex.compile(found.text)
        except regex.error as error:
            raise InvalidPattern(str(error)) from None
        self.group: Final[Callable[[str], int | None]] = self._any.groupindex.get
        """The number of a named group."""
        self.groups: Final[int] = self._any.groups
        self.literal: Final = found.literal if found.form and set(found.form) == {"l"} else None
        """The text that the pattern matches where it matches a single one."""
        self.is_local: Final = "o" not in found.form
        """True if a match does not depend on what is around it."""
        self.is_character: Final = _ONE.fullmatch(found.form) is not None
        """True if the pattern matches one character, or ``repeats`` and matches all in a row."""
        self.repeats: Final = found.form.endswith("+")

    @functools.cached_property
    def characters(self) -> CharacterSet:
        """The characters that the pattern matches, where it matches one."""
        match = self._any.fullmatch
        return CharacterSet(lambda character: match(character) is not None)

    def find(self, text: str) -> Iterable[Match]:
        """Return the matches in a text, each search beginning where the match before ended."""
        expression: Any = self._ascii(True) if text.isascii() else None
        return (expression or self._any).finditer(text)  # type: ignore[no-any-return]

    def search(self, text: str) -> bool:
        """Return whether there is a match in a text."""
        return next(iter(self.find(text)), None) is not None

    def lengths(self, text: str) -> list[int]:
        """Return the lengths of what is, in turn, between matches and matched, up to the first empty match."""
        expression = self._ascii(False) if text.isascii() else None
        expression = expression or self._splitting
        if expression is None:
            edges = [edge for match in self._any.finditer(text) for edge in match.span()]
            found = [end - begin for begin, end in pairwise((0, *edges, len(text)))]
        else:
            found = [*map(len, expression.split(text))]
        if 0 in found[1::2]:
            first = 2 * found[1::2].index(0)
            found[first:] = [sum(found[first:])]
        return found

    @functools.cached_property
    def _splitting(self) -> Any:
        """The expression in one group; None where its own groups matter, or the begin of a match can be reset."""
        try:
            return None if "\\K" in self._pattern else self._regex.compile(f"({self._translated(captures=False)})")
        except UnsupportedPattern:
            return None

    @functools.lru_cache(2)  # noqa: B019
    def _ascii(self, captures: bool) -> re.Pattern[str] | None:
        """Return the expression for texts of ASCII, in one group unless its own capture; None where ``re`` has none."""
        try:
            text = self._translated(captures=captures, of_class=self._of_ascii)
            return re.compile(text if captures else f"({text})")
        except (UnsupportedPattern, re.error):
            return None

    def _translated(self, **options: Any) -> str:
        return translated(self._pattern, _is_script, **options).text

    def _of_ascii(self, text: str) -> str:
        """Return the class of the characters of ASCII in a class."""
        found = [literal(character) for character in self._regex.findall(text, _ASCII)]
        return f"[{''.join(found)}]" if found else _NONE


@functools.lru_cache(512)
def compiled(pattern: bytes) -> Pattern | None:
    """Return the compiled pattern; None where PCRE2 does not compile it, so that it matches nothing.

    OpError where ``regex`` is not installed, or where the pattern has what is not translated.
    """
    try:
        return Pattern(pattern)
    except (InvalidPattern, UnicodeDecodeError):
        return None


def normalizing(pattern: bytes) -> Pattern | None:
    """Return the compiled pattern of a normalization, as ``compiled``."""
    return compiled(_REWRITTEN.get(pattern.decode("utf-8", "replace"), "").encode() or pattern)


def splitting(pattern: bytes, behaviour: str) -> Pattern | None:
    """Return the compiled pattern of a split, as ``compiled``; ``contiguous`` joins matches in a row."""
    joins = behaviour == "contiguous" and not pattern.endswith(b"+")
    return compiled(b"(" + pattern + b")+" if joins else pattern)


@functools.cache
def _is_script(name: str) -> bool:
    import regex

    try:
        regex.compile(rf"\p{{Script={name}}}")
    except regex.error:
        return False
    return name.isalnum()
