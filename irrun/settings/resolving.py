"""The value of each setting of a command, and where it comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.settings.known import SETTINGS
from irrun.settings.project import Project
from irrun.settings.values import Unexpected

COMMAND_LINE: Final = "command line"
DEFAULT: Final = "default"


class Value(NamedTuple):
    """A value, and its origin: the command line, a file with a line, a variable of the environment, the default."""

    value: Any
    origin: str


def resolve(
    command: str, given: Mapping[str, Any], project: Project, current: Project | None = None
) -> dict[str, Value]:
    """Return the settings of a command: as ``given`` (None for those that are not), else from the environment, else
    from the ``project``, else the defaults.

    Settings of the project at hand are taken from that of the ``current`` folder, by default the same. ValueError
    where a variable of the environment has another value than its setting accepts.
    """
    of_folder, of_current = project.of(command), (current or project).of(command)
    found: dict[str, Value] = {}
    for key, setting in SETTINGS.items():
        if command not in setting.commands:
            continue
        entries = of_current if setting.of_project else of_folder
        text = os.environ.get(setting.environment) if setting.environment else None
        if given.get(key) is not None:
            found[key] = Value(given[key], COMMAND_LINE)
        elif text is not None:
            found[key] = Value(_from_environment(key, text), setting.environment)
        elif key in entries:
            file = (current or project).file if setting.of_project else project.file
            found[key] = Value(entries[key].value, f"{_short(file)}:{entries[key].line}")
        else:
            found[key] = Value(setting.default, DEFAULT)
    return found


def _from_environment(key: str, text: str) -> Any:
    setting = SETTINGS[key]
    try:
        return setting.kind.read(text.lower())
    except Unexpected as error:
        raise ValueError(f"{setting.environment} is {text!r}, expected {error}") from None


def _short(file: Path | None) -> str:
    """Return a path as it is shown: relative to the current folder where it is below it."""
    assert file is not None
    try:
        return str(file.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(file)
