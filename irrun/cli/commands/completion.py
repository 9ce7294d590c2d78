"""Print the script that completes commands in a shell.

\b
Examples:
  eval "$(irrun completion bash)"            # in ~/.bashrc
  eval "$(irrun completion zsh)"             # in ~/.zshrc, after compinit
  irrun completion fish > ~/.config/fish/completions/irrun.fish
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from irrun.cli.console import result, verbosity


@click.command(help=__doc__)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@verbosity
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    script = get_completion_class(shell)
    assert script is not None
    result(script(ctx.find_root().command, {}, "irrun", "_IRRUN_COMPLETE").source())
