"""Options that limit the memory, the iterations and the time of an inference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from irrun.cli.failures import Failure

if TYPE_CHECKING:
    from irrun.linter.configuration import Configuration

SETTINGS: Final = ("MAX_MEMORY", "MAX_ITERATIONS", "TIMEOUT")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def size(text: str) -> int:
    """Read a number of bytes, such as ``500MB`` or ``4GiB``."""
    from irrun.diagnostics.sizes import parse_bytes

    try:
        return parse_bytes(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}, {error}") from None


MEMORY_OPTION: Final = click.option(
    "--max-memory", type=size, metavar="SIZE", help="The most memory that tensors may take, such as 4GiB."
)


def limits(command: _Command) -> _Command:
    """Add the options ``--max-memory``, ``--max-iterations`` and ``--timeout`` to a command."""
    for option in (
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True, max=1e9),
            metavar="SECONDS",
            help="The time after which an inference is ended, checked before each layer.",
        ),
        click.option(
            "--max-iterations",
            type=click.IntRange(min=1),
            metavar="N",
            help="The most iterations of a loop.  [default: 1000000]",
        ),
        MEMORY_OPTION,
    ):
        command = option(command)
    return command


def settings(model: Path, max_memory: int | None, max_iterations: int | None, timeout: float | None) -> dict[str, Any]:
    """Return the limits for ``compile_model``: those given, else those in the configuration of the model's folder."""
    given = dict(zip(SETTINGS, (max_memory, max_iterations, timeout), strict=True))
    return {
        **_configured(model.absolute().parent),
        **{name: value for name, value in given.items() if value is not None},
    }


def _configured(folder: Path) -> dict[str, Any]:
    found = configuration(folder)
    values = () if found is None else (found.max_memory, found.max_iterations, found.timeout)
    return {name: value for name, value in zip(SETTINGS, values, strict=False) if value is not None}


def configuration(folder: Path) -> Configuration | None:
    """Return the configuration of a folder; None where it seems to have none."""
    if not any(map(_is_configuration, (folder, *folder.parents))):
        return None
    from irrun.linter.configuration import BadConfiguration, Configurations

    try:
        return Configurations().of(folder)
    except BadConfiguration as error:
        raise Failure(str(error)) from None


def _is_configuration(folder: Path) -> bool:
    """Return whether a folder seems to hold a configuration; reading one takes longer than a small model."""
    project = folder / "pyproject.toml"
    return (folder / "irrun.toml").is_file() or (project.is_file() and b"tool.irrun" in project.read_bytes())
