"""Resolved settings of a command: from its options, the environment and configurations; ``--show-settings``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli.console import result
from irrun.cli.failures import Failure
from irrun.cli.tables import columns, listed
from irrun.cli.values import as_json
from irrun.settings import SETTINGS, Projects, Value, resolve

SHOW: Final = click.option("--show-settings", is_flag=True, help="Print the settings with their origins, and stop.")


def resolved(given: Mapping[str, Any], model: Path, *, show: bool) -> dict[str, Value]:
    """Return the settings of the running command for a model; Failure where one cannot be read.

    Where they are to be shown, they are, and the command ends.
    """
    context = click.get_current_context()
    projects = Projects()
    try:
        project, current = projects.of(model.absolute().parent), projects.of(Path.cwd())
        values = resolve(context.command_path.split()[1], given, project, current)
    except ValueError as error:
        raise Failure(str(error)) from None
    if show:
        show_values(values, str(context.params.get("output_format")), file=str(model), configuration=project.file)
        raise click.exceptions.Exit(0)
    return values


def show_values(values: Mapping[str, Value], output_format: str, **more: Any) -> None:
    """Print settings with their origins, after ``more`` that tells what they are for."""
    if output_format == "json":
        result(as_json(record(values, **more)))
    else:
        result(text(values, **more))


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


def properties(values: Mapping[str, Value], keys: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the settings that have a value, or those of some keys, as ``compile_model`` takes them."""
    chosen = values if keys is None else keys
    return {SETTINGS[key].api: values[key].value for key in chosen if values[key].value is not None}


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
