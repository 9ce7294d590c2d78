"""The kinds of values that settings have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.diagnostics import Severity, formats, listing
from irrun.diagnostics.sizes import parse_bytes
from irrun.ops.releases import release


class Kind(NamedTuple):
    """A kind of values: ``read`` takes what TOML holds, and raises ``Unexpected``; ``schema`` describes it as JSON."""

    read: Callable[[object], Any]
    schema: Mapping[str, Any]


PURPOSES: Final = ("genai", "npu")
"""The purposes of a file: a pipeline of language models, a neural processing unit."""

MOST_PATTERNS: Final = 1000
"""The limit on patterns of files, each of which is compared with each file."""

LONGEST_TIME: Final = 1e9
_MOST: Final = 1 << 63
_LONGEST: Final = 100
"""The number of characters of a value that a message shows."""


class Unexpected(ValueError):
    """A value is of the wrong kind for its key; the message states the expected kind."""

    def __init__(self, value: object, expected: str) -> None:
        super().__init__(expected)
        self.value = value


def shown(value: object) -> str:
    """Return a value as messages show it."""
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return "a table" if isinstance(value, dict) else shortened(str(value))
    except ValueError:
        return "a number of thousands of digits"


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Unexpected(value, "a list of strings")
    for item in value:
        if not isinstance(item, str):
            raise Unexpected(item, "a list of strings only")
    return tuple(dict.fromkeys(value))


def _patterns(value: object) -> tuple[str, ...]:
    found = _texts(value)
    if len(found) > MOST_PATTERNS:
        raise Unexpected(value, f"at most {MOST_PATTERNS} patterns")
    return found


def _by_pattern(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise Unexpected(value, "a table from patterns to lists of rules")
    _patterns(list(value))
    return {pattern: _texts(codes) for pattern, codes in value.items()}


def _by_rule(value: object) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict):
        raise Unexpected(value, "a table from codes of rules to their settings")
    for settings in value.values():
        if not isinstance(settings, dict):
            raise Unexpected(settings, "a table of the settings of a rule")
        for item in settings.values():
            parts = item if isinstance(item, list) else [item]
            if not all(isinstance(part, bool | int | float | str) for part in parts):
                raise Unexpected(item, "a number, a text, true, false, or a list of these")
    return {code: dict(settings) for code, settings in value.items()}


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise Unexpected(value, "a path")
    return Path(value)


def _release(value: object) -> str:
    try:
        release(value if isinstance(value, str) else "")
    except ValueError:
        raise Unexpected(value, 'a release of OpenVINO such as "2023.3"') from None
    return str(value)


def _memory(value: object) -> int:
    try:
        is_size = isinstance(value, str | float) or (isinstance(value, int) and 0 < value < _MOST)
        return parse_bytes(str(value) if is_size else "")
    except ValueError as error:
        raise Unexpected(value, str(error).removeprefix("expected ")) from None


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= LONGEST_TIME:
        raise Unexpected(value, f"a positive number of seconds, at most {LONGEST_TIME:.0f}")
    return float(value)


def _tolerance(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        raise Unexpected(value, "a number of at least 0")
    return float(value)


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise Unexpected(value, "true or false")
    return value


def one_of(*known: str) -> Kind:
    """Return the kind of one of these texts."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise Unexpected(value, listing(known))
        return value

    return Kind(read, {"enum": list(known)})


def some_of(*known: str) -> Kind:
    """Return the kind of a list of these texts."""
    one = one_of(*known)
    return Kind(lambda value: tuple(one.read(text) for text in _texts(value)), {"type": "array", "items": one.schema})


def count(expected: str, least: int = 0) -> Kind:
    """Return the kind of a whole number of at least ``least``."""

    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < _MOST:
            raise Unexpected(value, expected)
        return value

    return Kind(read, {"type": "integer", "minimum": least})


_LEVELS: Final = {str(level): level for level in Severity}
_LEVEL: Final = one_of(*_LEVELS)
_LIST: Final = {"type": "array", "items": {"type": "string"}}

TEXTS: Final = Kind(_texts, _LIST)
PATTERNS: Final = Kind(_patterns, {**_LIST, "maxItems": MOST_PATTERNS})
BY_PATTERN: Final = Kind(_by_pattern, {"type": "object", "additionalProperties": _LIST, "maxProperties": MOST_PATTERNS})
BY_RULE: Final = Kind(_by_rule, {"type": "object", "additionalProperties": {"type": "object"}})
PATH: Final = Kind(_path, {"type": "string", "minLength": 1})
SEVERITY: Final = Kind(lambda value: _LEVELS[_LEVEL.read(value)], _LEVEL.schema)
FORMAT: Final = one_of(*formats.names())
RELEASE: Final = Kind(_release, {"type": "string"})
MEMORY: Final = Kind(_memory, {"type": ["string", "number"]})
SECONDS: Final = Kind(_seconds, {"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST_TIME})
TOLERANCE: Final = Kind(_tolerance, {"type": "number", "minimum": 0})
SWITCH: Final = Kind(_switch, {"type": "boolean"})
