"""Options that limit the memory, the iterations and the time of an inference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from irrun.cli.failures import Failure
from irrun.cli.options import MOST, Number, as_record
from irrun.document.files import MOST_CONFIGURATION, content

if TYPE_CHECKING:
    from irrun.linter.configuration import Configuration


_TABLE: Final = re.compile(rb"""^[ \t]*+\[?[ \t]*+["']?tool["']?\s*+(?:\.\s*+["']?ir|\]|=)""", re.MULTILINE)
"""The beginning of ``[tool.irrun]``, in any spelling and perhaps misspelt, or of a table ``tool``."""


class Limits(NamedTuple):
    """The limits of an inference as they are given."""

    max_memory: int | None
    max_iterations: int | None
    timeout: float | None

    def settings(self, model: Path) -> dict[str, Any]:
        """Return the limits as settings: those given, else those in the configuration of the model's folder."""
        found = configuration(model.absolute().parent)
        limits = {name: getattr(found, name, None) if own is None else own for name, own in self._asdict().items()}
        return {name.upper(): value for name, value in limits.items() if value is not None}


def size(text: str) -> int:
    """Read a number of bytes, such as ``500MB`` or ``4GiB``."""
    from irrun.diagnostics.sizes import parse_bytes

    try:
        return parse_bytes(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}, {error}") from None


MEMORY_OPTION: Final = click.option(
    "--max-memory", type=size, metavar="SIZE", help="Limit on the memory of all tensors, such as 4GiB."
)


options = as_record(
    "limit",
    Limits,
    MEMORY_OPTION,
    click.option(
        "--max-iterations",
        type=click.IntRange(min=1, max=MOST),
        metavar="N",
        help="Limit on the iterations of a loop.  [default: 1000000]",
    ),
    click.option(
        "--timeout",
        type=Number(min=0, min_open=True, max=1e9),
        metavar="SECONDS",
        help="Limit on the time of an inference, checked before each layer.",
    ),
)
"""The options ``--max-memory``, ``--max-iterations`` and ``--timeout``, as ``limit``."""


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
    if (folder / "irrun.toml").is_file():
        return True
    return project.is_file() and _TABLE.search(content(project, MOST_CONFIGURATION)) is not None
