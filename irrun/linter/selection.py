"""Selects rules by the selectors of the command line and of configuration files."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from irrun.diagnostics import near_match
from irrun.linter.rule import Rule, rules

ALL: Final = "ALL"
_PREFIX: Final = re.compile(r"[A-Z]{2,}\d*")
_EXACT: Final = 5


class UnknownRule(ValueError):
    """A selector names no rule."""


@dataclass(frozen=True, slots=True)
class Selector:
    """The codes of the selected rules, and the precision of the selector: the length of its prefix."""

    codes: frozenset[str]
    closeness: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The selectors of one source. ``select`` of None keeps the selection of the sources before it."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIgnores:
    """Rules to ignore in files that match a pattern, relative to ``root`` where the pattern has a folder."""

    pattern: str
    ignored: tuple[str, ...]
    root: Path

    def codes(self, path: Path) -> frozenset[str]:
        """Return the codes to ignore in a file. A pattern after ``!`` applies to all files that it does not match."""
        pattern = self.pattern.removeprefix("!")
        absolute = path.absolute()
        names = (absolute.name, pattern), (str(absolute), str(self.root.absolute() / pattern))
        matched = any(fnmatch.fnmatchcase(name, expected) for name, expected in names)
        return meant(self.ignored) if matched != self.pattern.startswith("!") else frozenset()


def selector(text: str) -> Selector:
    """Return the rules of a code, a prefix of codes, a name or ``ALL``. UnknownRule where there are none."""
    return _selector(text, tuple(rules().values()))


def is_prefix(text: str) -> bool:
    """Return whether a selector is a prefix of codes, rather than a code, a name or ``ALL``."""
    return text != ALL and text not in rules() and _PREFIX.fullmatch(text) is not None


@functools.lru_cache(maxsize=1024)
def _selector(text: str, among: tuple[type[Rule], ...]) -> Selector:
    known = {rule.code: rule for rule in among}
    if text == ALL:
        return Selector(frozenset(known), 0)
    for code, rule in known.items():
        if rule.name == text:
            return Selector(frozenset({code}), _EXACT)
    codes = frozenset(code for code in known if code.startswith(text)) if _PREFIX.fullmatch(text) else frozenset()
    if not codes:
        words = [*known, *(rule.name for rule in known.values()), ALL]
        expected = near_match(text, words) or ", expected a code such as IR401, a prefix such as IR4, a name or ALL"
        raise UnknownRule(f'no rule is called "{text}"{expected}')
    return Selector(codes, len(text))


def meant(texts: Iterable[str]) -> frozenset[str]:
    """Return the codes of all rules that some selectors name."""
    return frozenset(code for text in texts for code in selector(text).codes)


def selected(choices: Sequence[Choice]) -> frozenset[str]:
    """Return the codes selected by all choices, later ones overriding earlier ones; every rule without choices.

    Within a choice the closer selector overrides the wider one, and ``ignore`` overrides ``select`` at equal closeness.
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


def summary(codes: Collection[str]) -> str:
    """Tell which of all rules these are, in as few codes as possible."""
    known = rules()
    without = [code for code in known if code not in codes]
    if not without:
        return f"all {len(known)}"
    if len(without) < len(codes):
        return f"{len(codes)} of {len(known)}, without {', '.join(without)}"
    return f"{len(codes)} of {len(known)}: {', '.join(sorted(codes)) or 'none'}"
