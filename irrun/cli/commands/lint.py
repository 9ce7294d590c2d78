"""irrun lint: check IR files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

EXAMPLES = """
\b
Examples:
  irrun lint model.xml
  irrun lint a.xml b.xml --output-format concise
  irrun lint model.xml --output-format json > report.json
  irrun lint tile.xml --value 1=1,2,3     a bare <layer>, with the value of input port 1

Exit status: 0 when nothing is found, 1 when something is, 2 when a file cannot be checked.
"""


class PortValue(click.ParamType[tuple[str, tuple[int, ...]]]):
    """``PORT=1,2,3``."""

    name = "PORT=1,2,3"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        name, equals, elements = str(value).partition("=")
        try:
            if not equals:
                raise ValueError
            return name.strip(), tuple(int(item) for item in elements.strip("[] ").split(",") if item.strip())
        except ValueError:
            self.fail(f"{value!r} is not of the form PORT=1,2,3", param, ctx)


@click.command("lint", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json"]),
    default="full",
    show_default=True,
    help="How findings are printed.",
)
@click.option("--weights", type=click.Path(path_type=Path), help="The weights, where they are not beside the .xml.")
@click.option(
    "--value",
    "values",
    type=PortValue(),
    multiple=True,
    help="The value that arrives at a port that nothing feeds, by port id or input name.",
)
def command(
    files: tuple[Path, ...], output_format: str, weights: Path | None, values: tuple[tuple[str, tuple[int, ...]], ...]
) -> None:
    """Check IR files: their XML, their graph, every attribute, and every dim against what is inferred."""
    from irrun.diagnostics import Severity, render
    from irrun.linter import lint

    findings = []
    failed = False
    for file in files:
        try:
            findings += lint(file, weights, values).findings()
        except OSError as error:
            click.echo(f"irrun: cannot read {file}: {error.strerror or error}", err=True)
            failed = True
    if output_format == "json":
        click.echo(render.as_json(findings))
    elif findings:
        colour = sys.stdout.isatty() and click.get_current_context().color is not False
        click.echo((render.full if output_format == "full" else render.concise)(findings, colour))
    failing = sum(finding.diagnostic.severity >= Severity.WARNING for finding in findings)
    if output_format == "full":
        click.echo(_summary(len(findings), len(files)), err=bool(findings))
    sys.exit(2 if failed else 1 if failing else 0)


def _summary(findings: int, files: int) -> str:
    checked = f"{files} file{'s' if files != 1 else ''} checked"
    return f"{checked}: {findings} finding{'s' if findings != 1 else ''}" if findings else f"{checked}: all is well"
