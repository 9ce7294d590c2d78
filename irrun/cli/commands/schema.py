"""Print a schema: of IR files, of settings, or of JSON output.

rng is RELAX NG with every operation and its attributes, and xsd is XML Schema with the edges, for editors of IR files.
The others are JSON schemas: settings is that of irrun.toml, report that of irrun lint --output-format json, lint-run
that of --output-format json-report, lint-statistics that of --statistics, and show-settings that of --show-settings of
any command. The name of another command, such as compare or debug blame, is that of what it prints with --json.

\b
Examples:
  irrun schema rng > ir-v11.rng
  irrun schema xsd -o ir-v11.xsd
  irrun schema compare
  irrun schema debug blame
"""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from irrun.cli.console import result, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.options import output_option
from irrun.cli.writing import write_text
from irrun.evaluation.files.targets import STANDARD_OUTPUT


def complete_name(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the next words of the names that begin with the words so far."""
    from irrun.cli.schemas import names

    before = context.params.get("words") or ()
    begin = " ".join((*before, incomplete))
    words = [name.split() for name in names() if name.startswith(begin)]
    return [CompletionItem(word) for word in dict.fromkeys(found[len(before)] for found in words)]


@click.command(help=__doc__)
@click.argument("words", nargs=-1, required=True, metavar="NAME", shell_complete=complete_name)
@output_option("Write to this file instead.", folders=False)
@extension_option
@verbosity
def command(words: tuple[str, ...], output: Path | None) -> None:
    from irrun.cli.schemas import names, schema
    from irrun.diagnostics import near_match
    from irrun.ops.available import operations_of

    name = " ".join(words)
    if name not in names():
        known = near_match(name, names()) or f", expected one of {', '.join(names())}"
        raise click.UsageError(f'no schema "{name}"{known}')
    text = schema(name, operations_of(extensions()))
    if output is None or output == STANDARD_OUTPUT:
        result(text.rstrip("\n"))
        return
    write_text(output, text, [Path(path) for path in extensions()])
