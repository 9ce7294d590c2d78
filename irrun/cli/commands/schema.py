"""Print a schema: of IR files, of a lint report, or of settings.

Those of IR files are for editors.

rng is RELAX NG with every operation and its attributes, xsd is XML Schema with the edges, report is the JSON schema
of irrun lint --output-format json, lint-run that of --output-format json-report, and settings that of irrun.toml.

\b
Examples:
  irrun schema rng > ir-v11.rng
  irrun schema xsd -o ir-v11.xsd
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import result, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.options import output_option
from irrun.cli.writing import write_text
from irrun.evaluation.files.targets import STANDARD_OUTPUT


@click.command(help=__doc__)
@click.argument("name", type=click.Choice(["rng", "xsd", "report", "lint-run", "settings"]))
@output_option("Write to this file instead.", folders=False)
@extension_option
@verbosity
def command(name: str, output: Path | None) -> None:
    from irrun.ops.available import operations_of
    from irrun.schema import relaxng, report_schema, run_schema, xsd
    from irrun.settings.known import schema as settings_schema

    others = {"xsd": xsd, "report": report_schema, "lint-run": run_schema, "settings": settings_schema}
    text = relaxng(operations_of(extensions())) if name == "rng" else others[name]()
    if output is None or output == STANDARD_OUTPUT:
        result(text.rstrip("\n"))
        return
    write_text(output, text, [Path(path) for path in extensions()])
