"""One attribute as plain data, and what its text in an IR stands for."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeVar

from irrun.diagnostics import OpError, listing, near_match
from irrun.ops.declaration import REFUSED, REQUIRED
from irrun.tensor import DYNAMIC, ElementType, Shape
from irrun.tensor.element_type import BY_NAME

AttrKind = Literal["int", "float", "bool", "string", "enum", "ints", "floats", "strings", "type", "shape"]

BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}
UNDEFINED: Final = "undefined"
"""How older releases of OpenVINO call the element type that is not known."""

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
_INTEGER: Final = re.compile(r"\s*(-?[0-9]+)(.*)", re.DOTALL)
_FLOAT: Final = re.compile(
    r"\s*(?:([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(.*)|(-?inf|nan)\s*)", re.DOTALL
)
_EXACT_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]+)")
_HARMLESS: Final = {"int": re.compile(r"(\.0*)?[fF]?\s*"), "float": re.compile(r"[fF]?\s*")}
_LARGEST: Final = 2**63

Item = TypeVar("Item")


class AttributeMissing(OpError):
    """A required attribute is absent."""

    code = "IR303"


class AttributeUnknown(OpError):
    """The operation has no such attribute."""

    code = "IR302"


class AttributeUnreadable(OpError):
    """The text of an attribute is not of its kind."""

    code = "IR305"


class AttributeOutOfRange(OpError):
    """The value of an attribute is outside what the specification allows."""

    code = "IR306"


class Read(NamedTuple):
    """What OpenVINO reads of a text. ``whole`` is false where it passes over a part that may have had a meaning."""

    value: Any
    whole: bool = True


@dataclass(frozen=True, slots=True)
class AttrSpec:
    """One attribute: its spelling in the IR, its kind, its default and its bounds."""

    name: str
    field: str
    kind: AttrKind
    default: Any
    openvino: Any
    choices: tuple[str, ...]
    bounds: Mapping[str, float]
    doc: str
    exact: bool = False

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def absent(self) -> Any:
        """The value that OpenVINO takes where the attribute is absent; REFUSED where it does not take the layer."""
        if self.openvino is not REQUIRED:
            return self.openvino
        return REFUSED if self.required else self.default

    def parse(self, text: str) -> Any:
        """The value that the text of an IR stands for; AttributeUnreadable when it is none, or more than one."""
        try:
            read = self._read(text)
        except (ValueError, KeyError, OverflowError):
            raise self._unreadable(text) from None
        if not read.whole:
            raise self._unreadable(text)
        return read.value

    def read(self, text: str) -> Any:
        """The value that OpenVINO takes from any text; AttributeUnreadable where it refuses it.

        A number is what the text begins with: the 1 of ``1,2``. A word that is no boolean counts as absent.
        """
        try:
            return self._read(text).value
        except (ValueError, KeyError, OverflowError):
            if self.kind != "bool" or self.absent is REFUSED:
                raise self._unreadable(text) from None
            return self.absent

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
                known = self.choices if self.exact else tuple(choice.lower() for choice in self.choices)
                return Read(self.choices[known.index(text if self.exact else text.lower())])
            case "ints":
                return _items(text, _integer)
            case "floats":
                return _items(text, _float)
            case "strings":
                return Read(tuple(part.strip() for part in text.split(",") if part.strip()))
            case "type":
                return Read(BY_NAME[text] if self.exact else element_type(text))
            case "shape":
                return _shape(text, bare=self.exact)

    def _unreadable(self, text: str) -> AttributeUnreadable:
        candidates = self.choices if self.kind == "enum" else tuple(BY_NAME) if self.kind == "type" else ()
        close = near_match(text, candidates)
        return AttributeUnreadable(f'{self.name}="{text}" is not {self.expected}{close}', attribute=self.name)

    @property
    def expected(self) -> str:
        return listing(self.choices) if self.kind == "enum" else _EXPECTED.get(self.kind, "text")

    def check(self, value: Any) -> None:
        """Raise AttributeOutOfRange where a bound is not kept."""
        items = value if isinstance(value, tuple) else (value,)
        for sign, bound in self.bounds.items():
            for item in items:
                if not (_COMPARE[sign](item, bound) or (isinstance(item, float) and math.isnan(item))):
                    raise AttributeOutOfRange(f"{self.name} is {item}, expected {sign} {bound:g}", attribute=self.name)

    def text(self, value: Any) -> str:
        """The spelling of a value in an IR."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return f"{value:.17g}"
        if isinstance(value, tuple):
            return ", ".join(f"{item:.17g}" if isinstance(item, float) else str(item) for item in value)
        if isinstance(value, Shape):
            return str(value).removeprefix("[").removesuffix("]")
        return str(value)


def element_type(name: str) -> ElementType:
    """The element type that an attribute names, in any case; KeyError when there is none."""
    lower = name.lower()
    return DYNAMIC if lower == UNDEFINED else BY_NAME[lower]


def _integer(text: str) -> Read:
    """The integer that a text begins with; ValueError where it begins with none, or with one of more than 64 bits."""
    found = _INTEGER.match(text)
    if found is None:
        raise ValueError(text)
    value = int(found[1])
    if not -_LARGEST <= value < _LARGEST:
        raise OverflowError(text)
    return Read(value, _HARMLESS["int"].fullmatch(found[2]) is not None)


def _exact_integer(text: str) -> Read:
    found = _EXACT_INTEGER.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return Read(int(found[1]))


def _float(text: str) -> Read:
    """The number that a text begins with; ValueError where it begins with none, OverflowError where it is too large."""
    found = _FLOAT.fullmatch(text)
    if found is None or (found[2] or "").startswith(("e", "E")):
        raise ValueError(text)
    if found[3] is not None:
        return Read(float(found[3]))
    value = float(found[1])
    if math.isinf(value):
        raise OverflowError(text)
    return Read(value, _HARMLESS["float"].fullmatch(found[2]) is not None)


def _items(text: str, read: Callable[[str], Read]) -> Read:
    """The elements of a list, which may end with a comma."""
    parts = text.split(",")
    if not parts[-1]:
        parts.pop()
    items = [read(part) for part in parts]
    return Read(tuple(item.value for item in items), all(item.whole for item in items))


def _shape(text: str, *, bare: bool) -> Read:
    """A partial shape, without brackets where it has to be ``bare``."""
    word = text.strip()
    if word.startswith("[") != word.endswith("]") or (bare and word.startswith("[")):
        raise ValueError(text)
    return Read(Shape.parse(word))
