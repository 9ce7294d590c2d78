"""Which rules count: selectors as on the command line and in a configuration file, and what they add up to."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from irrun.diagnostics import near_match
from irrun.linter.rule import rules

ALL: Final = "ALL"
_PREFIX: Final = "IR"
_EXACT: Final = 5


class UnknownRule(ValueError):
    """A selector that names no rule."""


@dataclass(frozen=True, slots=True)
class Selector:
    """The codes of the rules that are meant, and how closely they are named: the length of the prefix."""

    codes: frozenset[str]
    closeness: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What one place says of the rules. ``select`` of None leaves what the places before it have selected."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIgnores:
    """Rules that do not count in the files of a pattern, which is relative to ``root`` where it has a folder."""

    pattern: str
    ignored: tuple[str, ...]
    root: Path

    def codes(self, path: Path) -> frozenset[str]:
        """The codes that are ignored in a file. A pattern behind ``!`` means all the files that it does not match."""
        pattern = self.pattern.removeprefix("!")
        absolute = path.absolute()
        names = (absolute.name, pattern), (str(absolute), str(self.root.absolute() / pattern))
        matched = any(fnmatch.fnmatchcase(name, expected) for name, expected in names)
        return meant(self.ignored) if matched != self.pattern.startswith("!") else frozenset()


def selector(text: str) -> Selector:
    """The rules that a code, a prefix of codes, a name or ``ALL`` means. UnknownRule where there are none."""
    known = rules()
    if text == ALL:
        return Selector(frozenset(known), 0)
    for code, rule in known.items():
        if rule.name == text:
            return Selector(frozenset({code}), _EXACT)
    codes = frozenset(code for code in known if code.startswith(text)) if text.startswith(_PREFIX) else frozenset()
    if not codes:
        words = [*known, *(rule.name for rule in known.values()), ALL]
        expected = near_match(text, words) or ", expected a code such as IR401, a prefix such as IR4, a name or ALL"
        raise UnknownRule(f'no rule is called "{text}"{expected}')
    return Selector(codes, len(text))


def meant(texts: Iterable[str]) -> frozenset[str]:
    """The codes of all the rules that some selectors mean."""
    return frozenset(code for text in texts for code in selector(text).codes)


def selected(choices: Sequence[Choice]) -> frozenset[str]:
    """The codes that count after all choices, the later over the earlier; every rule where there is none.

    Within a choice the closer selector wins over the wider one, and of two that are as close the one that ignores.
    """
    codes = selector(ALL).codes
    for choice in choices:
        adding = [selector(text) for text in (*(choice.select or ()), *choice.extend_select)]
        removing = [selector(text) for text in choice.ignore]
        codes = frozenset() if choice.select is not None else codes
        for closeness in sorted({item.closeness for item in (*adding, *removing)}):
            codes |= _codes(adding, closeness)
            codes -= _codes(removing, closeness)
    return codes


def _codes(selectors: Sequence[Selector], closeness: int) -> frozenset[str]:
    return frozenset(code for item in selectors if item.closeness == closeness for code in item.codes)
