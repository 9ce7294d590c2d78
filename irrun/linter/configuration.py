"""The configuration of a project: ``irrun.toml``, or ``[tool.irrun]`` in ``pyproject.toml``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import Severity, listing, near_match
from irrun.diagnostics.formats import names
from irrun.diagnostics.sizes import parse_bytes
from irrun.diagnostics.words import nearest
from irrun.document.files import MOST_CONFIGURATION, content
from irrun.linter.context import PURPOSES
from irrun.linter.selection import Choice, FileIgnores, UnknownRule, selector
from irrun.ops.releases import release

OWN_FILE: Final = "irrun.toml"
PROJECT_FILE: Final = "pyproject.toml"
SECTION: Final = "lint"
MOST_PATTERNS: Final = 1000
"""The limit on patterns of files, each of which is compared with each file."""

LONGEST_TIME: Final = 1e9
_MOST: Final = 1 << 63
_LONGEST: Final = 100
"""The number of characters of a value that a message shows."""

_DEEP: Final = re.compile(rb"""(?<![\w"'-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){200}""")
"""A key of 200 parts and more, which would take quadratic time to read."""

INFERENCE_PRECISIONS: Final = ("f32", "bf16", "f16")
"""The element types that the operands of products can be rounded to."""
PRECISIONS: Final = ("f16",)
"""The element types below f32 that a model can be checked for."""


class BadConfiguration(ValueError):
    """A configuration is invalid; the message names the file, the key and the expectation."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a project; None for those not set. Paths are relative to the folder of the ``file``."""

    choice: Choice = field(default_factory=Choice)
    per_file_ignores: tuple[FileIgnores, ...] = ()
    exclude: tuple[str, ...] = ()
    root: Path = field(default_factory=Path)
    fail_level: Severity | None = None
    output_format: str | None = None
    baseline: Path | None = None
    target_version: str | None = None
    target_precision: str | None = None
    max_memory: int | None = None
    purposes: tuple[str, ...] = ()
    max_iterations: int | None = None
    timeout: float | None = None
    precision: str | None = None
    dynamic_quantization: int | None = None
    file: Path | None = field(default=None, compare=False)


class Configurations:
    """The configuration of each folder of a project, read once.

    ``file`` applies to every folder where it is given; with ``isolated`` there is no configuration. Otherwise the file
    in the folder itself or its nearest parent applies. BadConfiguration where it is invalid.
    """

    def __init__(self, file: Path | None = None, *, isolated: bool = False) -> None:
        self._everywhere = Configuration(root=Path.cwd()) if isolated else None if file is None else read(file)
        self._known: dict[Path, Configuration] = {}

    def of(self, folder: Path) -> Configuration:
        """Return the configuration for the files of a folder."""
        return self._nearest(folder.absolute()) if self._everywhere is None else self._everywhere

    def _nearest(self, folder: Path) -> Configuration:
        if folder not in self._known:
            self._known[folder] = self._found(folder)
        return self._known[folder]

    def _found(self, folder: Path) -> Configuration:
        for name in (OWN_FILE, PROJECT_FILE):
            path = folder / name
            table = _table(path) if path.is_file() else None
            if table is not None:
                return _parsed(table, path)
        return self._nearest(folder.parent) if folder.parent != folder else Configuration(root=folder)


def read(path: Path) -> Configuration:
    """Read the configuration in a file. OSError where it cannot be opened, BadConfiguration where it is invalid."""
    table = _table(path)
    return _parsed(table if table is not None else {}, path)


def severity(text: str) -> Severity:
    """Return the severity with a name; KeyError where there is none."""
    return {str(level): level for level in Severity}[text]


def _table(path: Path) -> Mapping[str, Any] | None:
    """Return the table of irrun; None for a ``pyproject.toml`` without one."""
    import tomllib

    data = content(path, MOST_CONFIGURATION)
    try:
        if _DEEP.search(data) is not None:
            raise RecursionError
        tables = tomllib.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        raise BadConfiguration(f"{path}: not TOML: {error}") from error
    except RecursionError as error:
        raise BadConfiguration(f"{path}: nested too deep") from error
    if path.name != PROJECT_FILE:
        return tables
    tools = tables.get("tool", {})
    table = tools.get("irrun") if isinstance(tools, dict) else None
    if table is None and isinstance(tools, dict):
        _refuse_misspelt(tools, path)
    if table is not None and not isinstance(table, dict):
        raise BadConfiguration(f"{path}: tool.irrun is {_shown(table)}, expected a table")
    return table


def _refuse_misspelt(tools: Mapping[str, Any], path: Path) -> None:
    """Raise BadConfiguration where a table of tools holds settings of irrun under another name."""
    for name, table in tools.items():
        if isinstance(table, dict) and nearest(name, ["irrun"]) is not None and table.keys() & {SECTION, *_KEYS}:
            raise BadConfiguration(f"{path}: tool.{_short(name)} is not known; did you mean tool.irrun?")


def _parsed(table: Mapping[str, Any], path: Path) -> Configuration:
    values = {key: (key, value) for key, value in table.items() if key != SECTION}
    section = table.get(SECTION, {})
    if not isinstance(section, dict):
        raise BadConfiguration(f"{path}: {SECTION} is {_shown(section)}, expected a table")
    for key, value in section.items():
        if key in values:
            raise BadConfiguration(f"{path}: {_short(key)} is given twice, once in the table {SECTION}")
        values[key] = (f"{SECTION}.{key}", value)
    read: dict[str, Any] = {}
    for key, (called, value) in values.items():
        if key not in _KEYS:
            expected = near_match(key, _KEYS) or f", expected {listing(_KEYS)}"
            raise BadConfiguration(f"{path}: {_short(called)} is not known{expected}")
        try:
            read[key] = _KEYS[key](value)
        except UnknownRule as error:
            raise BadConfiguration(f"{path}: {called}: {error}") from error
        except _Unexpected as error:
            raise BadConfiguration(f"{path}: {called} is {_shown(error.value)}, expected {error}") from error
    root = path.absolute().parent
    baseline = read.get("baseline")
    return Configuration(
        Choice(read.get("select"), read.get("ignore", ()), read.get("extend-select", ())),
        tuple(FileIgnores(pattern, codes, root) for pattern, codes in read.get("per-file-ignores", {}).items()),
        read.get("exclude", ()),
        root,
        read.get("fail-level"),
        read.get("output-format"),
        root / baseline if baseline is not None else None,
        read.get("target-version"),
        read.get("target-precision"),
        read.get("max-memory"),
        read.get("for", ()),
        read.get("max-iterations"),
        read.get("timeout"),
        read.get("precision"),
        read.get("dynamic-quantization"),
        path.absolute(),
    )


class _Unexpected(ValueError):
    """A value is of the wrong kind for its key; the message states the expected kind."""

    def __init__(self, value: object, expected: str) -> None:
        super().__init__(expected)
        self.value = value


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{_short(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return "a table" if isinstance(value, dict) else _short(str(value))
    except ValueError:
        return "a number of thousands of digits"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _Unexpected(value, "a list of strings")
    for item in value:
        if not isinstance(item, str):
            raise _Unexpected(item, "a list of strings only")
    return tuple(dict.fromkeys(value))


def _patterns(value: object) -> tuple[str, ...]:
    texts = _texts(value)
    if len(texts) > MOST_PATTERNS:
        raise _Unexpected(value, f"at most {MOST_PATTERNS} patterns")
    return texts


def _selectors(value: object) -> tuple[str, ...]:
    texts = _texts(value)
    for text in texts:
        selector(text)
    return texts


def _by_pattern(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise _Unexpected(value, "a table from patterns to lists of rules")
    _patterns(list(value))
    return {pattern: _selectors(codes) for pattern, codes in value.items()}


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise _Unexpected(value, "a path")
    return value


def _severity(value: object) -> Severity:
    known = [str(level) for level in Severity]
    if not isinstance(value, str) or value not in known:
        raise _Unexpected(value, listing(known))
    return severity(value)


def _format(value: object) -> str:
    if not isinstance(value, str) or value not in names():
        raise _Unexpected(value, listing(names()))
    return value


def _release(value: object) -> str:
    try:
        release(value if isinstance(value, str) else "")
    except ValueError:
        raise _Unexpected(value, 'a release of OpenVINO such as "2023.3"') from None
    return str(value)


def _precision(value: object) -> str:
    if not isinstance(value, str) or value not in PRECISIONS:
        raise _Unexpected(value, listing(PRECISIONS))
    return value


def _memory(value: object) -> int:
    try:
        is_size = isinstance(value, str | float) or (isinstance(value, int) and 0 < value < _MOST)
        return parse_bytes(str(value) if is_size else "")
    except ValueError as error:
        raise _Unexpected(value, str(error).removeprefix("expected ")) from None


def _purposes(value: object) -> tuple[str, ...]:
    texts = _texts(value)
    for text in texts:
        if text not in PURPOSES:
            raise _Unexpected(text, listing(PURPOSES))
    return texts


def _iterations(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < _MOST:
        raise _Unexpected(value, "a positive number of iterations")
    return value


def _inference_precision(value: object) -> str:
    if value not in INFERENCE_PRECISIONS:
        raise _Unexpected(value, listing(INFERENCE_PRECISIONS))
    return str(value)


def _group_size(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise _Unexpected(value, "a number of activations, 0 for none")
    return value


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= LONGEST_TIME:
        raise _Unexpected(value, f"a positive number of seconds, at most {LONGEST_TIME:.0f}")
    return float(value)


_KEYS: Final[Mapping[str, Callable[[object], Any]]] = {
    "select": _selectors,
    "ignore": _selectors,
    "extend-select": _selectors,
    "per-file-ignores": _by_pattern,
    "exclude": _patterns,
    "fail-level": _severity,
    "output-format": _format,
    "baseline": _text,
    "target-version": _release,
    "target-precision": _precision,
    "max-memory": _memory,
    "for": _purposes,
    "max-iterations": _iterations,
    "timeout": _seconds,
    "precision": _inference_precision,
    "dynamic-quantization": _group_size,
}
