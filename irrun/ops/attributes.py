"""Attributes as plain data, and the parsing of their text."""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeVar

from irrun.diagnostics import OpError, did_you_mean, listing, nearest
from irrun.ops.declaration import REFUSED, REQUIRED
from irrun.tensor import DYNAMIC, ElementType, Shape
from irrun.tensor.element_type import BY_NAME
from irrun.tensor.shape import BLANKS

AttrKind = Literal["int", "float", "bool", "string", "enum", "ints", "floats", "strings", "type", "shape"]

BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}
UNDEFINED: Final = "undefined"
"""The name of the unknown element type in older releases of OpenVINO."""

_COMPARE: Final = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_EXPECTED: Final[dict[AttrKind, str]] = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "ints": "a list of integers",
    "floats": "a list of numbers",
    "type": "an element type",
    "shape": "a partial shape such as 1,3,?,2..5",
}
_INTEGER: Final = re.compile(r"\s*(-?[0-9]+)(.*)", re.ASCII | re.DOTALL)
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FLOAT: Final = rf"(?as)\s*(?:({_NUMBER})(.*)|(-?inf|nan)\s*)"
_INTEGERS: Final = re.compile(r"-?[0-9]{1,18}(?: *, *-?[0-9]{1,18})*+")
_EXACT_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)
_HARMLESS: Final = {"int": r"(?a)(\.0*)?[fF]?\s*", "float": r"(?a)[fF]?\s*"}
_LARGEST: Final = 2**63
_LARGEST_SINGLE: Final = (2 - 2**-23) * 2.0**127
_PLAIN_NUMBER: Final = rf"(?:{_NUMBER}|-?inf|nan)"
_PLAIN: Final = {
    "int": "-?[0-9]+",
    "float": _PLAIN_NUMBER,
    "bool": "true|false",
    "ints": "(?:-?[0-9]+(?: *, *-?[0-9]+)*)?",
    "floats": rf"(?:{_PLAIN_NUMBER}(?: *, *{_PLAIN_NUMBER})*)?",
}

Item = TypeVar("Item")


class AttributeMissing(OpError):
    """A required attribute is absent."""

    code = "IR303"


class AttributeUnknown(OpError):
    """The operation has no such attribute."""

    code = "IR302"


class AttributeUnreadable(OpError):
    """The text of an attribute cannot be read."""

    code = "IR305"


class AttributeOutOfRange(OpError):
    """The value of an attribute is outside the range that the specification allows."""

    code = "IR306"


class Read(NamedTuple):
    """The value that OpenVINO reads from a text; ``whole`` is false where it ignores a part that may be significant."""

    value: Any
    whole: bool = True


class AttrSpec(NamedTuple):
    """The declaration of an attribute: its spelling in the IR, its kind, its default and its bounds.

    ``aliases`` are words that OpenVINO reads as one of the choices, although the page does not name them.
    """

    name: str
    field: str
    kind: AttrKind
    default: Any
    openvino: Any
    choices: tuple[str, ...]
    bounds: Mapping[str, float]
    doc: str
    exact: bool
    aliases: Mapping[str, str]

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def absent(self) -> Any:
        """The value that OpenVINO uses where the attribute is absent; REFUSED where it refuses the layer."""
        if self.openvino is not REQUIRED:
            return self.openvino
        return REFUSED if self.required else self.default

    def parse(self, text: str) -> Any:
        """Parse the text of an IR; AttributeUnreadable where OpenVINO ignores a significant part or cannot read it."""
        try:
            read = self._read(text)
        except (ValueError, KeyError, OverflowError):
            raise self._unreadable(text) from None
        if not read.whole:
            raise self._unreadable(text)
        return read.value

    def read(self, text: str) -> Any:
        """Return the value that OpenVINO reads from a text; AttributeUnreadable where it refuses the text.

        A number is read from the beginning of the text: 1 from ``1,2``. A word that is not a boolean counts as absent.
        """
        try:
            return self._read(self.aliases.get(text.lower(), text)).value
        except (ValueError, KeyError, OverflowError):
            if self.kind != "bool" or self.absent is REFUSED:
                raise self._unreadable(text) from None
            return self.absent

    def is_plain(self, text: str) -> bool:
        """Return whether a readable text is spelt as in the specification, so that any reader understands it."""
        if self.kind in ("enum", "type"):
            return text in (self.choices or BY_NAME)
        return self.kind not in _PLAIN or re.fullmatch(_PLAIN[self.kind], text) is not None

    def _read(self, text: str) -> Read:
        match self.kind:
            case "int":
                return _exact_integer(text) if self.exact else _integer(text)
            case "float":
                return _float(text)
            case "bool":
                return Read(BOOLEANS[text.lower()])
            case "string":
                return Read(text)
            case "enum":
                known = self.choices if self.exact else [choice.lower() for choice in self.choices]
                return Read(self.choices[known.index(text if self.exact else text.lower())])
            case "ints":
                plain = _INTEGERS.fullmatch(text) is not None
                return Read(tuple(map(int, text.split(",")))) if plain else _items(text, _integer)
            case "floats":
                return _items(text, _single)
            case "strings":
                return Read(tuple([part for item in text.split(",") if (part := item.strip(BLANKS))]))
            case "type":
                return Read(BY_NAME[text] if self.exact else element_type(text))
            case "shape":
                return _shape(text, bare=self.exact)

    def _unreadable(self, text: str) -> AttributeUnreadable:
        candidates = self.choices if self.kind == "enum" else tuple(BY_NAME) if self.kind == "type" else ()
        meant = nearest(text, candidates)
        what = f'{self.name}="{text}" is not {self.expected}{did_you_mean(meant)}'
        return AttributeUnreadable(what, attribute=self.name, meant=meant)

    @property
    def expected(self) -> str:
        return listing(self.choices) if self.kind == "enum" else _EXPECTED.get(self.kind, "text")

    def check(self, value: Any) -> None:
        """Raise AttributeOutOfRange where a value is out of bounds."""
        items = value if isinstance(value, tuple) else (value,)
        for sign, bound in self.bounds.items():
            for item in items:
                if not (_COMPARE[sign](item, bound) or (isinstance(item, float) and math.isnan(item))):
                    raise AttributeOutOfRange(
                        f"{self.name} is {item}, expected {sign} {_bound(bound)}", attribute=self.name
                    )

    def text(self, value: Any) -> str:
        """Return the spelling of a value in an IR."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return f"{value:.17g}"
        if isinstance(value, tuple):
            return ", ".join(f"{item:.17g}" if isinstance(item, float) else str(item) for item in value)
        if isinstance(value, Shape):
            return str(value).removeprefix("[").removesuffix("]")
        return str(value)


def _bound(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:g}"


def element_type(name: str) -> ElementType:
    """Return the element type named by an attribute, in any case; KeyError where there is none."""
    lower = name.lower()
    return DYNAMIC if lower == UNDEFINED else BY_NAME[lower]


def _integer(text: str) -> Read:
    """Read the integer at the beginning of a text; ValueError without one, or for more than 64 bits."""
    found = _INTEGER.match(text)
    if found is None:
        raise ValueError(text)
    value = int(found[1])
    if not -_LARGEST <= value < _LARGEST:
        raise OverflowError(text)
    return Read(value, re.fullmatch(_HARMLESS["int"], found[2]) is not None)


def _exact_integer(text: str) -> Read:
    found = _EXACT_INTEGER.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return Read(int(found[1]))


def _float(text: str) -> Read:
    """Read the number at the beginning of a text; ValueError without one, OverflowError where it is too large."""
    found = re.fullmatch(_FLOAT, text)
    if found is None or (found[2] or "").startswith(("e", "E")):
        raise ValueError(text)
    if found[3] is not None:
        return Read(float(found[3]))
    value = float(found[1])
    if math.isinf(value):
        raise OverflowError(text)
    return Read(value, re.fullmatch(_HARMLESS["float"], found[2]) is not None)


def _single(text: str) -> Read:
    """Read an element of a list of numbers, which has single precision; OverflowError where it is too large."""
    read = _float(text)
    if _LARGEST_SINGLE < abs(read.value) < math.inf:
        raise OverflowError(text)
    return read


def _items(text: str, read: Callable[[str], Read]) -> Read:
    """Read the elements of a list, which may end with a comma."""
    parts = text.split(",")
    if not parts[-1]:
        parts.pop()
    items = [read(part) for part in parts]
    return Read(tuple([item.value for item in items]), False not in [item.whole for item in items])


@functools.lru_cache(maxsize=256)
def _shape(text: str, *, bare: bool) -> Read:
    """Read a partial shape, without brackets where it must be ``bare``."""
    word = text.strip(BLANKS)
    if word.startswith("[") != word.endswith("]") or (bare and (word.startswith("[") or ".." in word)):
        raise ValueError(text)
    return Read(Shape.parse(word))
