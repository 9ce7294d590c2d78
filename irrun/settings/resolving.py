"""The value of each setting of a command, and where it comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.settings.known import Setting, settings_for
from irrun.settings.project import Project
from irrun.settings.values import Unexpected

COMMAND_LINE: Final = "command line"
DEFAULT: Final = "default"


class Value(NamedTuple):
    """A value, and its origin: the command line, a file with a line, a variable of the environment, the default."""

    value: Any
    origin: str


def resolve(command: str, given: Mapping[str, Any], project: Project, current: Project) -> dict[str, Value]:
    """Return the settings of a command: as ``given`` (None for those that are not), else from the environment, else
    from the ``project`` of the model, else the defaults.

    Settings that are ``of_project`` are taken from that of the ``current`` folder. ValueError where a variable of the
    environment has another value than its setting accepts.
    """
    found: dict[str, Value] = {}
    for key, setting in settings_for(command).items():
        source = current if setting.of_project else project
        entries = source.of(command)
        text = os.environ.get(setting.environment) if setting.environment else None
        if given.get(key) is not None:
            found[key] = Value(given[key], COMMAND_LINE)
        elif text is not None:
            found[key] = Value(_from_environment(setting, text), setting.environment)
        elif key in entries:
            found[key] = Value(entries[key].value, f"{short(source.file)}:{entries[key].line}")
        else:
            found[key] = Value(setting.default, DEFAULT)
    return found


def _from_environment(setting: Setting, text: str) -> Any:
    try:
        return setting.kind.read(text.lower())
    except Unexpected as error:
        raise ValueError(f"{setting.environment} is {text!r}, expected {error}") from None


def short(file: Path | None) -> str:
    """Return a path as it is shown: relative to the current folder where it is below it."""
    assert file is not None
    try:
        return str(file.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(file)
