"""Check IR files: their XML, their graph, every attribute, and every dim against what is inferred.

No file of weights is needed, but the one beside the file is checked too. A file whose root is a bare <layer>, or
several, is checked as well: --value says what arrives at its inputs.

\b
Examples:
  irrun lint model.xml
  irrun lint a.xml b.xml --output-format concise
  irrun lint model.xml --output-format json > report.json
  irrun lint tile.xml --value 1=1,2,3
  irrun lint layers.xml --value pads_begin=0,1 --value 2.pad_value=0.5

The exit status is 0 when nothing is found, 1 when something is, and 2 when a file cannot be checked.
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import level, result, verbosity
from irrun.cli.failures import of_system

Value = tuple[str, tuple[float, ...]]


class PortValue(click.ParamType[Value]):
    """``PORT=1,2,3``."""

    name = "PORT=1,2,3"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        name, equals, elements = str(value).partition("=")
        try:
            if not equals or not name.strip():
                raise ValueError
            return name.strip(), tuple(_number(item) for item in elements.strip("[] ").split(",") if item.strip())
        except ValueError:
            self.fail(f"{value!r} is not of the form PORT=1,2,3", param, ctx)


@click.command("lint", help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json"]),
    default="full",
    show_default=True,
    help="How findings are printed.",
)
@click.option("--weights", type=click.Path(path_type=Path), help="The weights, where they are not beside the file.")
@click.option(
    "--value",
    "values",
    type=PortValue(),
    multiple=True,
    help="What arrives at an input that nothing feeds, by port id, by name, or as LAYER.PORT; repeatable.",
)
@verbosity
@click.pass_context
def command(
    context: click.Context, files: tuple[Path, ...], output_format: str, weights: Path | None, values: tuple[Value, ...]
) -> None:
    from irrun.diagnostics import Severity, render
    from irrun.linter import UnknownPort, lint

    reports = []
    failed = False
    for file in files:
        try:
            reports.append(lint(file, weights, values))
        except OSError as error:
            _cannot(of_system(error) if error.filename is not None else f"{file}: {of_system(error)}")
            failed = True
        except UnknownPort as error:
            _cannot(f"{file}: {error}")
            failed = True
    findings = [finding for report in reports for finding in report.findings()]
    if output_format == "json":
        result(render.as_json(findings))
    elif findings:
        result((render.full if output_format == "full" else render.concise)(findings, colour=True))
    if output_format == "full" and reports and level() >= 0:
        click.echo(_summary(len(findings), len(reports), sum(report.ports for report in reports)), err=True)
    failing = any(finding.diagnostic.severity >= Severity.WARNING for finding in findings)
    context.exit(2 if failed else 1 if failing else 0)


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _cannot(what: str) -> None:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {what}", err=True)


def _summary(findings: int, files: int, ports: int) -> str:
    checked = (
        f"{files} file{'s' if files != 1 else ''} checked, {ports} output port{'s' if ports != 1 else ''} verified"
    )
    return f"{checked}: {findings} finding{'s' if findings != 1 else ''}" if findings else f"{checked}: all is well"
