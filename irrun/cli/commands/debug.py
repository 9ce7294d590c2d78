"""Find the layer where a model goes wrong, cut it out, reduce the model, and rank layers by their precision.

\b
Examples:
  irrun debug blame model.xml other.xml -i image=cat.npy -o report/
  irrun debug blame model.xml --openvino -i image=cat.npy
  irrun debug blame model.xml --precision bf16 -i image=cat.npy
  irrun debug reduce model.xml --check 'python convert.py {}' -o small.xml
  irrun debug precision model.xml --precision bf16 -i image=cat.npy --openvino

irrun compare shows which layers differ, irrun run --dump, --stats and --stop-at what they compute.
"""

from __future__ import annotations

import click

from irrun.cli.debug.blame import blame
from irrun.cli.debug.precision import precision
from irrun.cli.debug.reduce import reduce
from irrun.diagnostics import listing, near_match


class _Group(click.Group):
    """A group that suggests the command that was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            known = list(self.commands)
            meant = near_match(args[0], known) or f", expected {listing(known)}"
            raise click.UsageError(f'no command "{args[0]}"{meant}', ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, help=__doc__)
def command() -> None:
    pass


command.add_command(blame, "blame")
command.add_command(precision, "precision")
command.add_command(reduce, "reduce")
