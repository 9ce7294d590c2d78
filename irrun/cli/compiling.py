"""The options of commands that compile a model: threads, limits, precision, optimisation."""

from __future__ import annotations

from typing import Final

import click

from irrun.cli import limits
from irrun.cli.options import MOST, count_option
from irrun.cli.settings import settings_options
from irrun.model.config import PRECISIONS

_NAMES: Final = click.Choice([type.name for type in PRECISIONS])

_THREADS: Final = count_option("--threads", most=1024, help="Number of threads; the default is BLAS's.")
_ROUNDING: Final = "Round the operands of products to this type"
_PRECISION: Final = click.option("--precision", type=_NAMES, help=f"{_ROUNDING}.  [default: f32]")
_PRECISIONS: Final = click.option(
    "--precision",
    "precisions",
    multiple=True,
    type=_NAMES,
    help=f"{_ROUNDING}; repeat it to compare.  [default: f32]",
)
_REST: Final = (
    count_option(
        "--dynamic-quantization",
        least=0,
        most=MOST,
        help="Round activations to 8 bits in groups of N where the weights have 4 or 8.  [default: 0, none]",
    ),
    click.option("--as-written", is_flag=True, help="Run layer by layer as written, without optimisation."),
    click.option("--low-memory", is_flag=True, default=None, help="Keep weights in their stored form, even if slower."),
)

compile_options: Final = settings_options(_THREADS, *limits.LIMITS, _PRECISION, *_REST)
"""The options of one compilation, as ``settings``."""

several_compile_options: Final = settings_options(_THREADS, *limits.LIMITS, _PRECISIONS, *_REST)
"""The same, except that ``--precision`` may be repeated: it reaches the command as ``precisions``."""
