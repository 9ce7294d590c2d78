"""Write a model with variables in place of inputs and outputs, or the other way round.

--make takes an input and the output that is its value in the next run; the variable begins with zeros. --remove makes
an input and an output of each variable, or of those that --variable names; the first value is then that of the caller.

\b
Examples:
  irrun edit state model.xml --make past=present -o stateful.xml
  irrun edit state stateful.xml --remove -o stateless.xml
  irrun edit state stateful.xml --remove --variable past -o other.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.surgery import make_states, remove_states


@click.command(name="state", help=__doc__)
@click.argument("model", type=FILE)
@click.option("--make", "made", metavar="IN=OUT", multiple=True, help="Make a variable of this pair; repeatable.")
@click.option("--remove", is_flag=True, help="Make inputs and outputs of variables.")
@click.option("--variable", "variables", metavar="NAME", multiple=True, help="Remove this variable only; repeatable.")
@sharing.options
def command(
    model: Path, output: Path, made: tuple[str, ...], variables: tuple[str, ...], weights: Path | None, *, remove: bool
) -> None:
    if bool(made) == remove:
        raise click.UsageError("expected --make or --remove")
    if variables and not remove:
        raise click.UsageError("--variable requires --remove")
    pairs, loaded = sharing.pairs(made, "IN=OUT"), sharing.read(model, weights, output)
    sharing.write(remove_states(loaded, variables) if remove else make_states(loaded, pairs), output)
