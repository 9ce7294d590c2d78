"""Options that limit the memory, the iterations and the time of an inference."""

from __future__ import annotations

from typing import Final

import click

from irrun.cli.options import MOST, Number, count_option, together
from irrun.cli.settings import SHOW, settings_options


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

LIMITS: Final = (
    MEMORY_OPTION,
    count_option("--max-iterations", most=MOST, help="Limit on the iterations of a loop.  [default: 1000000]"),
    click.option(
        "--timeout",
        type=Number(min=0, min_open=True, max=1e9),
        metavar="SECONDS",
        help="Limit on the time of an inference, checked before each layer.",
    ),
    SHOW,
)

tolerance: Final = together(
    click.option(
        "--rtol", type=Number(min=0), help="The tolerance relative to the largest magnitude.  [default: 0.001]"
    ),
    click.option("--atol", type=Number(min=0), help="The absolute tolerance.  [default: 0.00001]"),
)
"""The options ``--rtol`` and ``--atol`` of commands that compare."""

options: Final = settings_options(*LIMITS)
"""The options ``--max-memory``, ``--max-iterations`` and ``--timeout``, as ``settings``."""
