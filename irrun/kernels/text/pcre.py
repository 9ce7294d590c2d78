"""Translation of PCRE2's regular expressions, in UTF with Unicode properties, to those of the ``regex`` package."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from irrun.kernels.text.case_sets import cases
from irrun.kernels.text.clusters import CLUSTER
from irrun.kernels.text.pcre_classes import (
    CLASSES,
    LINE_BREAK,
    CharacterClass,
    InvalidPattern,
    UnsupportedPattern,
    is_number,
    literal,
    property_class,
    take_escaped_character,
)

_QUANTIFIER: Final = re.compile(r"[*+?]|\{ *(?:(\d+) *(, *(\d*))?|, *(\d+)) *\}")
_NAME: Final = r"[^\W\d]\w*"
_NAMED: Final = re.compile(rf"(?:P?<({_NAME})>|'({_NAME})')")
_FLAGS: Final = re.compile(r"(\^?)([imsxnJU]*)(?:-([imsxnJU]*))?([:)])")
_RECURSION: Final = re.compile(rf"(?:(R|\d+)|&({_NAME})|P>({_NAME}))\)")
_VERB: Final = re.compile(r"\*(?:[a-z]|(?:ACCEPT|COMMIT|F|FAIL|MARK|PRUNE|SKIP|THEN)?[:)])")
_OPENINGS: Final = ("?:", "?=", "?!", "?>", "?|", "?<=", "?<!")
_LETTER_AROUND: Final = CLASSES["w"].text(negated=False)
_AT_END_OF_WORD: Final = f"(?:(?<={_LETTER_AROUND})(?!{_LETTER_AROUND})|(?<!{_LETTER_AROUND})(?={_LETTER_AROUND}))"
_INSIDE_WORD: Final = f"(?:(?<={_LETTER_AROUND})(?={_LETTER_AROUND})|(?<!{_LETTER_AROUND})(?!{_LETTER_AROUND}))"
_ASSERTIONS: Final = {
    "b": _AT_END_OF_WORD,
    "B": _INSIDE_WORD,
    "A": r"\A",
    "z": r"\Z",
    "Z": "$",
    "G": r"\G",
    "K": r"\K",
    "X": CLUSTER,
    "R": LINE_BREAK,
    "N": r"[^\n]",
}


@dataclass(frozen=True)
class _Flags:
    """The options in force at a place of a pattern."""

    ignores_case: bool = False
    multiline: bool = False
    dot_all: bool = False
    extended: bool = False
    ungreedy: bool = False


class Translated(NamedTuple):
    """A pattern as ``regex`` reads it without flags, and what it consists of.

    ``form`` has a letter for each item: "l" for a character, "c" for a class of characters, "|", "(" and ")", "+" and
    "*" for a greedy quantifier (the latter for all but ``+``), "o" for anything else. ``literal`` joins the characters.
    """

    text: str
    form: str
    literal: str


_LETTERS: Final = {"i": "ignores_case", "m": "multiline", "s": "dot_all", "x": "extended", "U": "ungreedy"}


def translated(
    pattern: str,
    is_script: Callable[[str], bool],
    *,
    captures: bool = True,
    of_class: Callable[[str], str] | None = None,
) -> Translated:
    """Translate a pattern.

    ``is_script`` tells whether a name is that of a script. Without ``captures`` no group captures what it matches.
    ``of_class`` replaces the translation of each class. InvalidPattern where PCRE2 does not compile the pattern,
    UnsupportedPattern where it does, and this function does not know how.
    """
    return _Translator(pattern, is_script, captures, of_class or (lambda text: text)).run()


class _Translator:
    def __init__(
        self, pattern: str, is_script: Callable[[str], bool], captures: bool, of_class: Callable[[str], str]
    ) -> None:
        self.pattern = pattern
        self.is_script = is_script
        self.captures = captures
        self.of_class = of_class
        self.at = 0
        self.out: list[str] = []
        self.form: list[str] = []
        self.literals: list[str] = []
        self.flags = _Flags()
        self.groups: list[tuple[_Flags, bool]] = []
        self.look_behinds = 0
        self.repeatable = False

    def run(self) -> Translated:
        while self.pattern.startswith(("(*UTF)", "(*UCP)"), self.at):
            self.at += 6
        while self.at < len(self.pattern):
            self._step()
        if self.groups:
            raise InvalidPattern("a group is not closed")
        return Translated("".join(self.out), "".join(self.form), "".join(self.literals))

    def _step(self) -> None:
        pattern, at = self.pattern, self.at
        character = pattern[at]
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier is not None:
            self._quantifier(quantifier)
        elif character == "\\":
            self._escape()
        elif character == "[":
            self._class()
        elif character == "(":
            self._open()
        elif character == ")":
            self._close()
        elif self.flags.extended and (character.isspace() or character == "#"):
            end = pattern.find("\n", at) if character == "#" else at
            self.at = (len(pattern) if end < 0 else end) + 1
        else:
            self.at += 1
            self._plain(character)

    def _emit(self, text: str, *, form: str = "o", repeatable: bool = True) -> None:
        self.out.append(text)
        self.form.append(form)
        self.repeatable = repeatable

    def _emit_class(self, text: str) -> None:
        self._emit(self.of_class(text), form="c")

    def _plain(self, character: str) -> None:
        if character == ".":
            self._emit_class(r"(?s:.)" if self.flags.dot_all else r"[^\n]")
        elif character == "|":
            self._emit("|", form="|", repeatable=False)
        elif character == "^":
            self._emit(r"(?:(?m:^)(?!(?<=\n)\Z))" if self.flags.multiline else r"\A")
        elif character == "$":
            self._emit("(?m:$)" if self.flags.multiline else "$")
        else:
            self._literal(character)

    def _literal(self, character: str) -> None:
        alike = cases(character) if self.flags.ignores_case else character
        if len(alike) > 1:
            self._emit_class(f"[{''.join(map(literal, alike))}]")
        else:
            self._emit(literal(character), form="l")
            self.literals.append(character)

    def _quantifier(self, found: re.Match[str]) -> None:
        if not self.repeatable:
            raise InvalidPattern("a quantifier does not follow a repeatable item")
        text, least, comma, most, only_most = found[0], *found.groups()
        is_bounded = text == "?" or only_most is not None or (least is not None and (comma is None or most != ""))
        if self.look_behinds and not is_bounded:
            raise InvalidPattern("the length of a look-behind is not limited")
        if text[0] == "{":
            bounds = least or "0", (only_most or (least if comma is None else most)) or ""
            if (bounds[1] and int(bounds[0]) > int(bounds[1])) or int(bounds[1] or bounds[0]) > 65535:
                raise InvalidPattern("the numbers of a quantifier are out of order")
            text = f"{{{bounds[0]},{bounds[1]}}}"
        self.at = found.end()
        follow = self.pattern[self.at : self.at + 1]
        if follow in ("?", "+"):
            self.at += 1
        if self.flags.ungreedy and follow != "+":
            follow = "" if follow == "?" else "?"
        follow = follow if follow in ("?", "+") else ""
        self._emit(text + follow, form="o" if follow else "+" if text == "+" else "*", repeatable=False)

    def _escape(self) -> None:
        pattern, at = self.pattern, self.at + 1
        if at == len(pattern):
            raise InvalidPattern("the pattern ends with a backslash")
        kind = pattern[at]
        if kind == "Q":
            end = pattern.find("\\E", at)
            end = len(pattern) if end < 0 else end
            for character in pattern[at + 1 : end]:
                self._literal(character)
            self.at = end + 2
        elif kind == "E":
            self.at = at + 1
        elif kind.lower() in CLASSES:
            self.at = at + 1
            self._emit_class(CLASSES[kind.lower()].text(negated=kind.isupper()))
        elif kind in "pP":
            item, self.at = property_class(pattern, at, self.is_script, ignores_case=self.flags.ignores_case)
            self._emit_class(item.text(negated=kind == "P"))
        elif kind in _ASSERTIONS and not is_number(pattern, at):
            self.at = at + 1
            self._emit(_ASSERTIONS[kind])
        elif kind in "kg" or (kind in "123456789" and self._is_reference(at)):
            self._reference(kind)
        else:
            character, self.at = take_escaped_character(pattern, at)
            self._literal(character)

    def _is_reference(self, at: int) -> bool:
        """Return whether digits name a group: those below 10 do, others where there are that many groups."""
        number = int(re.match(r"\d+", self.pattern[at:])[0])  # type: ignore[index]
        opened = len(re.findall(r"(?<!\\)\((?!\?)", self.pattern))
        return number < 10 or number <= opened

    def _reference(self, kind: str) -> None:
        found = re.compile(
            rf"\\(?:k(?:\{{({_NAME})\}}|<({_NAME})>|'({_NAME})')|g\{{?(-?)(\d+)\}}?|g\{{({_NAME})\}}|(\d+))"
        ).match(self.pattern, self.at)
        if found is None:
            raise UnsupportedPattern(f"a reference by \\{kind}")
        self._need_captures()
        name = found[1] or found[2] or found[3] or found[6]
        number = found[5] or found[7]
        if found[4]:
            number = str(sum(text.startswith("(") and not text.startswith("(?") for text in self.out) + 1 - int(number))
        self.at = found.end()
        text = f"(?P={name})" if name else f"(?:\\{number})"
        self._emit(f"(?i:{text})" if self.flags.ignores_case else text)

    def _class(self) -> None:
        found = CharacterClass(self.pattern, self.at, self.is_script, ignores_case=self.flags.ignores_case)
        self.at = found.end
        self._emit_class(found.text)

    def _open(self) -> None:
        pattern, at = self.pattern, self.at + 1
        if pattern.startswith("?#", at):
            end = pattern.find(")", at)
            if end < 0:
                raise InvalidPattern("a comment is not closed")
            self.at = end + 1
            return
        if pattern.startswith("*", at):
            verb = _VERB.match(pattern, at)
            raise InvalidPattern("there is no such verb") if verb is None else UnsupportedPattern("a verb")
        opening = next((text for text in _OPENINGS if pattern.startswith(text, at)), None)
        named = None if opening is not None or not pattern.startswith("?", at) else _NAMED.match(pattern, at + 1)
        if not pattern.startswith("?", at):
            self._group("(", at, looks_behind=False)
        elif opening is not None:
            self._group(f"({opening}", at + len(opening), looks_behind=opening[:2] == "?<")
        elif named is not None:
            self._group(f"(?P<{named[1] or named[2]}>", named.end(), looks_behind=False)
        elif (recursion := _RECURSION.match(pattern, at + 1)) is not None:
            self._need_captures()
            self.at = recursion.end()
            name = recursion[2] or recursion[3]
            self._emit(f"(?&{name})" if name else f"(?{recursion[1]})")
        elif (flags := _FLAGS.match(pattern, at + 1)) is not None:
            self._change(flags)
        else:
            raise UnsupportedPattern(f"the group {pattern[self.at : self.at + 4]}")

    def _group(self, text: str, end: int, *, looks_behind: bool) -> None:
        self.groups.append((self.flags, looks_behind))
        self.look_behinds += looks_behind
        self.at = end
        is_plain = text in ("(", "(?:", "(?|") or text.startswith("(?P")
        text = text if self.captures or not is_plain else "(?:"
        self._emit(text, form="(" if is_plain else "o", repeatable=False)

    def _need_captures(self) -> None:
        if not self.captures:
            raise UnsupportedPattern("a reference to a group")

    def _change(self, found: re.Match[str]) -> None:
        reset, on, off, end = found.groups()
        flags = _Flags() if reset else self.flags
        flags = replace(flags, **{_LETTERS[letter]: True for letter in on if letter in _LETTERS})
        flags = replace(flags, **{_LETTERS[letter]: False for letter in off or "" if letter in _LETTERS})
        self.at = found.end()
        if end == ":":
            self._group("(?:", self.at, looks_behind=False)
        self.flags = flags

    def _close(self) -> None:
        if not self.groups:
            raise InvalidPattern("a closing parenthesis has no opening one")
        self.flags, looked_behind = self.groups.pop()
        self.look_behinds -= looked_behind
        self.at += 1
        self._emit(")", form=")")
