"""Groups of commands within a command."""

from __future__ import annotations

import click

from irrun.diagnostics import listing, near_match


class CommandGroup(click.Group):
    """A group that suggests the command that was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            known = list(self.commands)
            meant = near_match(args[0], known) or f", expected {listing(known)}"
            raise click.UsageError(f'no command "{args[0]}"{meant}', ctx)
        return super().resolve_command(ctx, args)
