"""Settings of a command: from its options, the environment and configurations; ``--show-settings``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from irrun.cli.console import result
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.options import Command, together
from irrun.cli.tables import columns, listed
from irrun.cli.values import as_json
from irrun.settings import SETTINGS, Projects, Value, resolve, settings_for
from irrun.settings.resolving import DEFAULT

SHOW: Final = click.option("--show-settings", is_flag=True, help="Print the settings with their origins, and stop.")


class CommandSettings(NamedTuple):
    """The settings that the options of a command give, by their keys: None where an option is not given.

    ``as_written`` is None for a command without the option ``--as-written``.
    """

    given: Mapping[str, Any]
    as_written: bool | None
    show: bool

    def of(self, model: Path, **more: Any) -> dict[str, Any]:
        """Return the settings of ``compile_model``: ``more``, those of the options, and those that configurations set.

        With ``--show-settings``, show all settings of the command instead, and end.
        """
        found = properties(self._replace(given={**self.given, **more}).resolved(model))
        return found if self.as_written is None else {"OPTIMIZE": not self.as_written, **found}

    def resolved(self, model: Path) -> dict[str, Value]:
        """Return the settings by their keys, with their origins; Failure where one cannot be read."""
        projects = Projects()
        try:
            project, current = projects.of(model.absolute().parent), projects.of(Path.cwd())
            values = resolve(_command_name(), self._together(), project, current)
        except ValueError as error:
            raise Failure(str(error)) from None
        if self.show:
            more = {"file": model, "configuration": project.file}
            is_json = click.get_current_context().params.get("output_format") == "json"
            values = _with_default_memory(values)
            result(as_json(record(values, **more)) if is_json else text(values, **more))
            raise click.exceptions.Exit(0)
        return values

    def _together(self) -> Mapping[str, Any]:
        """Return the settings of the options, which may not contradict each other."""
        if not self.as_written:
            return self.given
        name = self.given.get("precision")
        if name not in (None, "f32"):
            raise Failure(f"--precision {name} rounds the operands of products, --as-written does not; leave one out")
        if self.given.get("dynamic-quantization"):
            raise Failure("--dynamic-quantization rounds activations, --as-written does not; leave one out")
        return {**self.given, "precision": "f32", "dynamic-quantization": 0}


def settings_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds options; all options that are called like settings reach the command together."""

    def decorated(command: Command) -> Any:
        @functools.wraps(command)
        def with_settings(show_settings: bool, as_written: bool | None = None, **given: Any) -> Any:
            names = {key: key.replace("-", "_") for key in settings_for(_command_name())}
            own = {key: given.pop(name) for key, name in names.items() if name in given}
            return command(settings=CommandSettings(own, as_written, show_settings), **given)

        return together(*options)(with_settings)

    return decorated


def _command_name() -> str:
    return click.get_current_context().command_path.split()[1]


def _with_default_memory(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return settings as they are shown: the limit on memory that applies by default is a number."""
    from irrun.runtime.budget import default_memory

    limit = values["max-memory"]
    return {**values, "max-memory": Value(default_memory(), DEFAULT) if limit.value is None else limit}


def record(values: Mapping[str, Value], **more: Any) -> dict[str, Any]:
    """Return settings as JSON-ready values; their origins are under ``origins``."""
    plain = {key: _plain(value.value) for key, value in values.items()}
    origins = {key: value.origin for key, value in values.items()}
    return {**{key: _plain(value) for key, value in more.items()}, **plain, "origins": origins}


def text(values: Mapping[str, Value], **more: Any) -> str:
    """Format settings as a table."""
    rows = [(key, _said(_plain(value))) for key, value in more.items()]
    rows += [(key, f"{_said(_plain(value.value))}  ({value.origin})") for key, value in values.items()]
    return "\n".join(listed(rows, columns()))


def properties(values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the settings that have a value, except those of verdicts, as ``compile_model`` takes them."""
    chosen = {key: value.value for key, value in values.items() if not SETTINGS[key].of_project}
    found = {SETTINGS[key].api: value for key, value in chosen.items() if value is not None}
    return {**found, "EXTENSIONS": extensions()} if extensions() else found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or type(value) in (bool, int, float) else str(value)


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_said(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
