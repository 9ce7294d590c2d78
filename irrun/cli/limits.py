"""Options that limit the memory, the iterations and the time of an inference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from irrun.cli import settings
from irrun.cli.options import MOST, Number, as_record, together
from irrun.settings import Value

_KEYS: Final = ("max-memory", "max-iterations", "timeout", "tier")


class Limits(NamedTuple):
    """The limits of an inference as they are given."""

    max_memory: int | None
    max_iterations: int | None
    timeout: float | None
    show_settings: bool

    def settings(self, model: Path) -> dict[str, Any]:
        """Return the limits and the tier as ``compile_model`` takes them, with those that configurations set.

        With ``--show-settings``, show all settings of the command instead, and end.
        """
        return self.properties(settings.resolved(self.given(), model, show=self.show_settings))

    def with_tolerance(self, model: Path, rtol: float | None, atol: float | None) -> dict[str, Value]:
        """Return all settings of a command that compares; the tolerances are those of the current folder."""
        given = {**self.given(), "rtol": rtol, "atol": atol}
        return settings.resolved(given, model, show=self.show_settings)

    @staticmethod
    def properties(values: Mapping[str, Value]) -> dict[str, Any]:
        """Return the limits and the tier as ``compile_model`` takes them."""
        return settings.properties(values, _KEYS)

    def given(self) -> dict[str, Any]:
        """Return the options by the keys of their settings."""
        return {"max-memory": self.max_memory, "max-iterations": self.max_iterations, "timeout": self.timeout}


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
    settings.SHOW,
)
"""The options ``--max-memory``, ``--max-iterations`` and ``--timeout``, as ``limit``; ``--show-settings``."""


tolerance: Final = together(
    click.option(
        "--rtol", type=Number(min=0), help="The tolerance relative to the largest magnitude.  [default: 0.001]"
    ),
    click.option("--atol", type=Number(min=0), help="The absolute tolerance.  [default: 0.00001]"),
)
"""The options ``--rtol`` and ``--atol`` of commands that compare."""
