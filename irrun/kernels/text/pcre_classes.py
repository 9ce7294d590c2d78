"""Classes of characters in PCRE2's regular expressions, written for the ``regex`` package."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from irrun.kernels.text.case_sets import cases, cases_between


class InvalidPattern(ValueError):
    """PCRE2 does not compile the pattern."""


class UnsupportedPattern(ValueError):
    """PCRE2 compiles the pattern, but it is not translated."""


class Item(NamedTuple):
    """A part of a class: what stands between brackets, of the characters that are in it, or of those that are not."""

    inside: str
    negated: bool = False

    def text(self, *, negated: bool) -> str:
        return f"[{'^' if self.negated != negated else ''}{self.inside}]"

    def inverted(self) -> Item:
        return Item(self.inside, not self.negated)


_BLANK: Final = r"\t\x20\xA0\u1680\u180E\u2000-\u200A\u202F\u205F\u3000"
_VERTICAL: Final = r"\n-\r\x85\u2028\u2029"
_SPACE: Final = _BLANK + _VERTICAL
_WORD: Final = r"\p{L}\p{N}\p{Mn}\p{Pc}"
LINE_BREAK: Final = rf"(?>\r\n|[{_VERTICAL}])"

CLASSES: Final = {
    "d": Item(r"\p{Nd}"),
    "h": Item(_BLANK),
    "s": Item(_SPACE),
    "v": Item(_VERTICAL),
    "w": Item(_WORD),
}
"""The classes with a letter of their own; its capital is what is not in them."""

_VISIBLE_FORMAT: Final = (
    r"\xAD\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u200B-\u200F\u202A-\u202E\u2060-\u2064\u206A-\u206F\uFEFF"
    r"\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001"
    r"\U000E0020-\U000E007F"
)
_GRAPH: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}" + _VISIBLE_FORMAT
_POSIX: Final = {
    "alnum": Item(r"\p{L}\p{N}"),
    "alpha": Item(r"\p{L}"),
    "ascii": Item(r"\x00-\x7F"),
    "blank": Item(_BLANK),
    "cntrl": Item(r"\p{Cc}"),
    "digit": Item(r"\p{Nd}"),
    "graph": Item(_GRAPH),
    "lower": Item(r"\p{Ll}"),
    "print": Item(_GRAPH + r"\p{Zs}"),
    "punct": Item(r"\p{P}$+<=>\^`|~"),
    "space": Item(_SPACE),
    "upper": Item(r"\p{Lu}"),
    "word": Item(_WORD),
    "xdigit": Item(r"0-9A-Fa-f\uFF10-\uFF19\uFF21-\uFF26\uFF41-\uFF46"),
}
_SPECIAL: Final = {
    "any": Item(r"\x00-\U0010FFFF"),
    "l&": Item(r"\p{Lu}\p{Ll}\p{Lt}"),
    "lc": Item(r"\p{Lu}\p{Ll}\p{Lt}"),
    "xan": _POSIX["alnum"],
    "xps": _POSIX["space"],
    "xsp": _POSIX["space"],
    "xwd": _POSIX["word"],
}
_WITHOUT_EXTENSIONS: Final = ("common", "inherited", "qaai", "zinh", "zyyy")
_CASED: Final = ("lu", "ll", "lt")
_CATEGORIES_NAMES: Final = (
    "c cc cf cn co cs l ll lm lo lt lu m mc me mn n nd nl no p pc pd pe pf pi po ps s sc sk sm so z zl zp zs"
)
_CATEGORIES: Final = frozenset(_CATEGORIES_NAMES.split())
_BINARY_NAMES: Final = (
    "ascii ahex alpha alphabetic asciihexdigit bidic bidicontrol bidim bidimirrored ci caseignorable cased "
    "changeswhencasefolded changeswhencasemapped changeswhenlowercased changeswhentitlecased changeswhenuppercased "
    "cwcf cwcm cwl cwt cwu dash defaultignorablecodepoint dep deprecated di dia diacritic ebase ecomp emod emoji "
    "emojicomponent emojimodifier emojimodifierbase emojipresentation epres ext extendedpictographic extender extpict "
    "grbase grext graphemebase graphemeextend hex hexdigit idc idcontinue ideo ideographic ids idstart idsb idst "
    "joinc joincontrol loe logicalorderexception lower lowercase math nchar noncharactercodepoint patsyn patws "
    "patternsyntax patternwhitespace qmark quotationmark radical ri regionalindicator sd softdotted space whitespace "
    "term terminalpunctuation uideo unifiedideograph upper uppercase variationselector vs xidc xidcontinue xids "
    "xidstart sterm sentenceterminal"
)
_BINARY: Final = frozenset(_BINARY_NAMES.split())
_BIDI_NAMES: Final = "al an b bn cs en es et fsi l lre lri lro nsm on pdf pdi r rle"
_BIDI_CLASSES: Final = frozenset(_BIDI_NAMES.split())
_PROPERTY: Final = re.compile(r"[pP](?:([CLMNPSZ])|\{\s*(\^?)([^}^]*)\})")
_CHARACTERS: Final = {"a": "\a", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX: Final = re.compile(r"x(?:\{ *([0-9A-Fa-f]+) *\}|([0-9A-Fa-f]{0,2}))")
_NUMBER: Final = re.compile(r"N\{U\+([0-9A-Fa-f]+)\}")
_OCTAL: Final = re.compile(r"o\{ *([0-7]+) *\}|([0-7]{1,3})")


def literal(character: str) -> str:
    """Return a character as it stands in a pattern or a class."""
    if character.isalnum() or ord(character) > 0xA0:
        return character
    return f"\\x{ord(character):02X}"


def property_class(pattern: str, at: int, is_script: Callable[[str], bool], *, ignores_case: bool) -> tuple[Item, int]:
    """Return the class that ``p{…}`` or ``P{…}`` names, and where it ends; ``at`` is the letter."""
    found = _PROPERTY.match(pattern, at)
    if found is None:
        raise InvalidPattern("the name of a property is malformed")
    name = re.sub(r"[\s_-]", "", found[1] or found[3]).lower()
    item = _property(name, is_script, ignores_case=ignores_case)
    return (item.inverted() if found[2] else item), found.end()


def _property(name: str, is_script: Callable[[str], bool], *, ignores_case: bool) -> Item:
    kind, _, value = name.replace("=", ":").partition(":")
    if value:
        if kind in ("sc", "script") and is_script(value):
            return Item(rf"\p{{Script={value}}}")
        if kind in ("scx", "scriptextensions") and is_script(value):
            return Item(rf"\p{{Script_Extensions={value}}}")
        if kind in ("bc", "bidiclass"):
            return Item(rf"\p{{Bidi_Class={value}}}")
    elif ignores_case and name in _CASED:
        return _SPECIAL["l&"]
    elif name in _SPECIAL:
        return _SPECIAL[name]
    elif name in _CATEGORIES:
        return Item(rf"\p{{{name}}}")
    elif name.startswith("bidi") and name[4:] in _BIDI_CLASSES:
        return Item(rf"\p{{Bidi_Class={name[4:]}}}")
    elif is_script(name):
        if name in _WITHOUT_EXTENSIONS:
            return Item(rf"\p{{Script={name}}}")
        return Item(rf"\p{{Script_Extensions={name}}}")
    elif name in _BINARY:
        return Item(rf"\p{{{name}}}")
    raise InvalidPattern(f"there is no property {name}")


def is_number(pattern: str, at: int) -> bool:
    """Return whether ``N{U+…}``, the number of a character, stands at a place."""
    return _NUMBER.match(pattern, at) is not None


def take_escaped_character(pattern: str, at: int) -> tuple[str, int]:
    """Return the character that an escape names, and where it ends; ``at`` is what follows the backslash."""
    kind = pattern[at]
    if kind in _CHARACTERS:
        return _CHARACTERS[kind], at + 1
    if kind == "c" and at + 1 < len(pattern) and " " <= pattern[at + 1] <= "~":
        return chr(ord(pattern[at + 1].upper()) ^ 0x40), at + 2
    if (number := _NUMBER.match(pattern, at)) is not None:
        return _character(number[1], 16), number.end()
    found = _HEX.match(pattern, at) if kind == "x" else _OCTAL.match(pattern, at)
    if found is not None and (kind == "x" or kind in "o01234567"):
        return _character(found[1] or found[2] or "0", 16 if kind == "x" else 8), found.end()
    if kind.isascii() and kind.isalnum():
        raise InvalidPattern(f"there is no escape \\{kind}")
    return kind, at + 1


def _character(digits: str, base: int) -> str:
    point = int(digits, base)
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise InvalidPattern(f"there is no character {point:X}")
    return chr(point)


class CharacterClass:
    """A class in brackets that begins at a place of a pattern: ``text`` for ``regex``, and its ``end``."""

    def __init__(self, pattern: str, at: int, is_script: Callable[[str], bool], *, ignores_case: bool) -> None:
        self._pattern = pattern
        self._is_script = is_script
        self._ignores_case = ignores_case
        negated = pattern.startswith("^", at + 1)
        self.end: int = at + 1 + negated
        self._characters: list[str] = []
        self._items: list[Item] = []
        self._read()
        self.text: Final = self._written(negated=negated)

    def _read(self) -> None:
        pattern, begin = self._pattern, self.end
        quoted = False
        while True:
            if self.end >= len(pattern):
                raise InvalidPattern("a class is not closed")
            if pattern.startswith("\\E", self.end):
                quoted = False
                self.end += 2
            elif quoted:
                self.end += 1
                self._add(pattern[self.end - 1], pattern[self.end - 1])
            elif pattern.startswith("\\Q", self.end):
                quoted = True
                self.end += 2
            elif pattern[self.end] == "]" and self.end > begin:
                self.end += 1
                return
            else:
                self._part()

    def _part(self) -> None:
        item = self._item()
        is_range = self._pattern.startswith("-", self.end) and not self._pattern.startswith("-]", self.end)
        if isinstance(item, Item):
            if is_range:
                raise InvalidPattern("a range begins with a class")
            self._items.append(item)
            return
        last = item
        if is_range:
            self.end += 1
            after = self._item()
            if isinstance(after, Item) or after < item:
                raise InvalidPattern("the characters of a range are out of order")
            last = after
        self._add(item, last)

    def _item(self) -> Item | str:
        """Return the next class or character."""
        pattern, at = self._pattern, self.end
        if at >= len(pattern):
            raise InvalidPattern("a class is not closed")
        posix = re.compile(r"\[:(\^?)([a-z]*):\]").match(pattern, at)
        if posix is not None:
            if posix[2] not in _POSIX:
                raise InvalidPattern(f"there is no class {posix[2]}")
            self.end = posix.end()
            return _POSIX[posix[2]].inverted() if posix[1] else _POSIX[posix[2]]
        if pattern[at] != "\\":
            self.end += 1
            return pattern[at]
        if at + 1 >= len(pattern):
            raise InvalidPattern("the pattern ends with a backslash")
        kind = pattern[at + 1]
        if kind.lower() in CLASSES:
            self.end += 2
            item = CLASSES[kind.lower()]
            return item.inverted() if kind.isupper() else item
        if kind in "pP":
            item, self.end = property_class(pattern, at + 1, self._is_script, ignores_case=self._ignores_case)
            return item.inverted() if kind == "P" else item
        if kind == "b":
            self.end += 2
            return "\b"
        if kind in "NRXBK" and not is_number(pattern, at + 1):
            raise InvalidPattern(f"\\{kind} stands in a class")
        if kind in "89":
            self.end += 2
            return kind
        character, self.end = take_escaped_character(pattern, at + 1)
        return character

    def _add(self, first: str, last: str) -> None:
        text = literal(first) if first == last else f"{literal(first)}-{literal(last)}"
        if self._ignores_case:
            others = cases(first) if first == last else cases_between(first, last)
            text += "".join(map(literal, others))
        self._characters.append(text)

    def _written(self, *, negated: bool) -> str:
        inside = "".join((*self._characters, *(item.inside for item in self._items if not item.negated)))
        outside = [f"[^{item.inside}]" for item in self._items if item.negated]
        if not outside:
            return f"[{'^' if negated else ''}{inside}]"
        if not negated:
            return f"(?:{'|'.join([f'[{inside}]', *outside] if inside else outside)})"
        ahead = "".join(f"(?=[{item.inside}])" for item in self._items if item.negated)
        return f"(?:{ahead}[^{inside}])" if inside else f"(?:{ahead}(?s:.))"
