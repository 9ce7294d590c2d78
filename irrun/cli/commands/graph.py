"""Draw the graph of a model: Graphviz, Mermaid or SVG.

Constants are left out; bodies are drawn inside their layers. --from and --to select the layers on the paths between
two layers, by name, tensor name or id; both are repeatable.

\b
Examples:
  irrun graph model.xml -o model.svg
  irrun graph model.xml --format mermaid
  irrun graph model.xml --from conv1 --to relu3 | dot -Tpdf -o part.pdf
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import result, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE
from irrun.cli.options import output_option
from irrun.cli.writing import read_files, write_text
from irrun.model import load
from irrun.reporting.drawing import FORMATS, draw, scene_of


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.option(
    "--format", "kind", type=click.Choice(list(FORMATS)), help="The format; taken from the output by default."
)
@output_option("The file to write.", folders=False)
@click.option("--from", "begin", metavar="LAYER", multiple=True, help="Begin with this layer.")
@click.option("--to", "end", metavar="LAYER", multiple=True, help="End with this layer.")
@click.option("--constants", is_flag=True, help="Draw constants as well.")
@extension_option
@verbosity
def command(
    model: Path, kind: str | None, output: Path | None, begin: tuple[str, ...], end: tuple[str, ...], constants: bool
) -> None:
    loaded = load(model, extensions=extensions())
    say_findings(loaded, model)
    text = draw(scene_of(loaded, begin, end, constants=constants), kind or _format(output))
    if output is None or str(output) == "-":
        result(text.rstrip("\n"))
        return
    write_text(output, text, read_files(model))


def _format(output: Path | None) -> str:
    suffixes = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid", ".md": "mermaid"}
    return "dot" if output is None else suffixes.get(output.suffix.lower(), "svg")
