"""The configuration of a project: ``irrun.toml``, or ``[tool.irrun]`` in ``pyproject.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from irrun.diagnostics import listing, near_match
from irrun.diagnostics.words import nearest
from irrun.document.files import MOST_CONFIGURATION, content
from irrun.settings.known import COMMANDS, EXTENSIONS, SETTINGS, settings_for
from irrun.settings.values import Unexpected, shortened, shown

OWN_FILE: Final = "irrun.toml"
PROJECT_FILE: Final = "pyproject.toml"

_DEEP: Final = re.compile(rb"""(?<![\w"'-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){200}""")
"""A key of 200 parts and more, which would take quadratic time to read."""

_OWN_TABLE: Final = re.compile(rb"""^[ \t]*+\[?[ \t]*+["']?tool["']?\s*+(?:\.\s*+["']?ir|\]|=)""", re.MULTILINE)
"""The beginning of ``[tool.irrun]``, in any spelling and perhaps misspelt, or of a table ``tool``."""

_HEADER: Final = re.compile(r"[ \t]*+\[++([^\]\n]++)\]")
_KEY: Final = re.compile(r"""[ \t]*+((?:[\w-]++|"[^"\n]*+"|'[^'\n]*+'|[ \t]*+\.[ \t]*+)++)[ \t]*+=""")


class BadConfiguration(ValueError):
    """A configuration is invalid; the message names the file, the key and the expectation."""


class ProjectEntry(NamedTuple):
    """A value in a configuration, the key as the file has it, and its line, counted from 1."""

    value: Any
    called: str
    line: int


class Project(NamedTuple):
    """The settings for each command in a ``file``; none where there is no file.

    Paths and patterns are relative to ``root``, the folder of the file. ``extensions`` are loaded by nobody but who
    trusts the project.
    """

    root: Path = Path()
    file: Path | None = None
    entries: Mapping[str, Mapping[str, ProjectEntry]] = MappingProxyType({})
    extensions: tuple[str, ...] = ()

    def of(self, command: str) -> Mapping[str, ProjectEntry]:
        """Return the settings for a command."""
        return self.entries.get(command, {})


class Projects:
    """The configuration of each folder, read once.

    ``file`` applies to every folder where it is given; with ``isolated`` there is no configuration. Otherwise the file
    in the folder itself or its nearest parent applies. BadConfiguration where it is invalid.
    """

    def __init__(self, file: Path | None = None, *, isolated: bool = False) -> None:
        self._everywhere = Project(Path.cwd()) if isolated else None if file is None else read(file)
        self._known: dict[Path, Project] = {}

    def of(self, folder: Path) -> Project:
        """Return the configuration for the files of a folder."""
        return self._nearest(folder.absolute()) if self._everywhere is None else self._everywhere

    def _nearest(self, folder: Path) -> Project:
        if folder not in self._known:
            self._known[folder] = self._found(folder)
        return self._known[folder]

    def _found(self, folder: Path) -> Project:
        for name in (OWN_FILE, PROJECT_FILE):
            path = folder / name
            found = _parsed(path) if path.is_file() else None
            if found is not None:
                return found
        return self._nearest(folder.parent) if folder.parent != folder else Project(folder)


def read(path: Path) -> Project:
    """Read the configuration in a file. OSError where it cannot be opened, BadConfiguration where it is invalid."""
    return _parsed(path) or Project(path.absolute().parent, path)


def _parsed(path: Path) -> Project | None:
    """Return the configuration in a file; None for a ``pyproject.toml`` without one."""
    data = content(path, MOST_CONFIGURATION)
    if path.name == PROJECT_FILE and _OWN_TABLE.search(data) is None:
        return None
    import tomllib

    try:
        if _DEEP.search(data) is not None:
            raise RecursionError
        text = data.decode("utf-8-sig")
        tables = tomllib.loads(text)
    except ValueError as error:
        raise BadConfiguration(f"{path}: not TOML: {error}") from error
    except RecursionError as error:
        raise BadConfiguration(f"{path}: nested too deep") from error
    table, prefix = (_own_table(tables, path), "tool.irrun.") if path.name == PROJECT_FILE else (tables, "")
    if table is None:
        return None
    entries = _entries(table, path, dict(_lines(text)), prefix)
    return Project(path.absolute().parent, path, entries, tuple(table.get(EXTENSIONS, ())))


def _own_table(tables: Mapping[str, Any], path: Path) -> Mapping[str, Any] | None:
    tools = tables.get("tool", {})
    if not isinstance(tools, dict):
        return None
    table = tools.get("irrun")
    if table is None:
        _refuse_misspelt(tools, path)
    elif not isinstance(table, dict):
        raise BadConfiguration(f"{path}: tool.irrun is {shown(table)}, expected a table")
    return table


def _refuse_misspelt(tools: Mapping[str, Any], path: Path) -> None:
    """Raise BadConfiguration where a table of tools holds settings of irrun under another name."""
    for name, table in tools.items():
        if isinstance(table, dict) and nearest(name, ["irrun"]) is not None and table.keys() & {*COMMANDS, *SETTINGS}:
            raise BadConfiguration(f"{path}: tool.{shortened(name)} is not known; did you mean tool.irrun?")


def _entries(
    table: Mapping[str, Any], path: Path, lines: Mapping[str, int], prefix: str
) -> Mapping[str, Mapping[str, ProjectEntry]]:
    """Return the settings for each command: those of all commands, and those in its own table."""
    common: dict[str, ProjectEntry] = {}
    own: dict[str, dict[str, ProjectEntry]] = {command: {} for command in COMMANDS}
    for key, value in table.items():
        if key not in COMMANDS:
            common[key] = _entry(key, key, value, SETTINGS, path, lines, prefix)
            continue
        if not isinstance(value, dict):
            raise BadConfiguration(f"{path}: {key} is {shown(value)}, expected a table")
        known = settings_for(key)
        for name, inner in value.items():
            if name in table:
                raise BadConfiguration(f"{path}: {shortened(name)} is given twice, once in the table {key}")
            own[key][name] = _entry(name, f"{key}.{name}", inner, known, path, lines, prefix)
    return {
        command: {name: entry for name, entry in common.items() if command in SETTINGS[name].commands} | own[command]
        for command in COMMANDS
    }


def _entry(
    key: str, called: str, value: object, known: Any, path: Path, lines: Mapping[str, int], prefix: str
) -> ProjectEntry:
    if key not in known:
        expected = near_match(key, known) or f", expected {listing(known)}"
        raise BadConfiguration(f"{path}: {shortened(called)} is not known{expected}")
    try:
        read_value = SETTINGS[key].kind.read(value)
    except Unexpected as error:
        raise BadConfiguration(f"{path}: {called} is {shown(error.value)}, expected {error}") from error
    if isinstance(read_value, Path):
        read_value = path.absolute().parent / read_value
    return ProjectEntry(read_value, called, _line(f"{prefix}{called}", lines))


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield the keys and tables of a text of TOML with their lines, each with the names of the tables around it.

    What a line of a text in several lines looks like counts too; the values are read elsewhere.
    """
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = f"{_plain(header[1])}."
            yield table[:-1], number
        elif key := _KEY.match(line):
            yield f"{table}{_plain(key[1])}", number


def _plain(key: str) -> str:
    return re.sub(r"[\s\"']", "", key)


def _line(called: str, lines: Mapping[str, int]) -> int:
    """Return the line of a key, or of the innermost table around it that has a line."""
    while called not in lines and "." in called:
        called = called.rpartition(".")[0]
    return lines.get(called, 1)
