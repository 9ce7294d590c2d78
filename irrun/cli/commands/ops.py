"""List the operations, or show one.

Attributes, inputs, outputs, types and versions.

\b
Examples:
  irrun ops
  irrun ops Interpolate
  irrun ops Interpolate --opset opset4
  irrun ops --opset opset8 --format json
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from irrun.cli.console import result, text_or_json, verbosity
from irrun.cli.extending import extension_option
from irrun.cli.operations import complete_type, known_operations, of_opset, operation_named, opset_named
from irrun.cli.tables import columns, listed, wrapped
from irrun.cli.values import as_json
from irrun.diagnostics import listing
from irrun.ops.attributes import AttrSpec
from irrun.ops.operation import OpClass
from irrun.ops.releases import first
from irrun.ops.spec import OpSpec, also_text, type_text

_WIDE: Final = 140
_WIDEST_TYPE: Final = 24
"""On a terminal narrower than ``_WIDE``, categories are left out, and longer types stand on lines of their own."""


@click.command(help=__doc__)
@click.argument("type", required=False, shell_complete=complete_type)
@click.option("--opset", callback=opset_named, metavar="opsetN", help="Show only operations of this opset.")
@extension_option
@text_or_json
@verbosity
def command(type: str | None, opset: str | None, output_format: str) -> None:
    known = known_operations()
    if type is None:
        classes = list(known.declarations()) if opset is None else of_opset(opset)
        text = _listing(classes)
    else:
        newest = operation_named(type, opset)
        versions = [cls for cls in known.declarations() if cls.type == newest.type]
        classes = versions if opset is None else [newest]
        text = _page(newest.spec, [cls.spec.version for cls in versions])
    result(as_json([cls.spec.as_dict() for cls in classes]) if output_format == "json" else text)


def _listing(classes: Sequence[OpClass]) -> str:
    """Return one line for each operation, with the summary of its newest version."""
    by_type: dict[str, list[OpSpec]] = {}
    for cls in classes:
        by_type.setdefault(cls.type, []).append(cls.spec)
    rows = [("TYPE", "OPSETS", "CATEGORY", "SUMMARY")]
    for type, specs in by_type.items():
        opsets = ", ".join(spec.version.removeprefix("opset") for spec in specs)
        rows.append((type, opsets, specs[-1].category, specs[-1].summary))
    width = columns()
    if width is not None and width < _WIDE:
        return "\n".join(listed([(row[0], row[1], row[3]) for row in rows], width, _WIDEST_TYPE))
    return "\n".join(listed(rows, width))


def _page(spec: OpSpec, versions: Sequence[str]) -> str:
    lines = [f"{click.style(spec.type, bold=True)}  {spec.version}  {spec.category}", "", spec.doc]
    if spec.attributes:
        lines += ["", click.style("attributes", bold=True)]
        for attribute in spec.attributes:
            lines += _entry(attribute.name, [_kind(attribute), _value(attribute)], attribute.doc)
    if spec.legacy:
        lines += ["", click.style("attributes that mean nothing, left by old writers", bold=True)]
        lines += [f"  {', '.join(item.names)}: {item}" for item in spec.legacy]
    if spec.inputs:
        lines += ["", click.style("inputs", bold=True)]
        for index, port in enumerate(spec.inputs):
            rank = f"rank {listing(port.rank)}" if port.rank is not None else ""
            facts = [type_text(port.type), rank, "optional" if port.optional else "", _repeated(port.variadic)]
            lines += _entry(f"{index} {port.name}", [*facts, also_text(port.also)], port.doc)
    if spec.outputs:
        lines += ["", click.style("outputs", bold=True)]
        for index, out in enumerate(spec.outputs):
            lines += _entry(f"{index} {out.name}", [type_text(out.type), _repeated(out.variadic)], out.doc)
    if spec.departures:
        lines += ["", click.style("OpenVINO's CPU plugin", bold=True)]
        lines += [f"  {text}" for text in spec.departures.values()]
    lines.append("")
    if spec.bodies:
        lines.append(f"{click.style('sub-graphs', bold=True)}: {', '.join(spec.bodies)}")
    lines.append(f"{click.style('versions', bold=True)}: {', '.join(versions)}")
    since = first(spec.type, spec.version)
    if since is not None:
        lines.append(f"{click.style('OpenVINO', bold=True)}: {since} or later")
    if spec.page:
        lines.append(f"{click.style('page', bold=True)}: {spec.page}")
    return "\n".join(part for line in lines for part in _fitted(line))


def _fitted(line: str) -> list[str]:
    indent = len(line) - len(line.lstrip())
    return [
        part for text in line.split("\n") for part in wrapped(text, columns(), indent + 4 if indent == 2 else indent)
    ]


def _entry(name: str, facts: Sequence[str], doc: str) -> list[str]:
    """Return a line with the non-empty facts, and one with the documentation."""
    return [f"  {name}: {', '.join(fact for fact in facts if fact)}", *([f"      {doc}"] if doc else [])]


def _kind(attribute: AttrSpec) -> str:
    bounds = " and ".join(f"{sign} {bound:g}" for sign, bound in attribute.bounds.items())
    kind = " | ".join(attribute.choices) if attribute.kind == "enum" else attribute.kind
    return f"{kind} {bounds}".rstrip()


def _value(attribute: AttrSpec) -> str:
    if attribute.required:
        return "required"
    if attribute.default is None:
        return "optional"
    return f"default {attribute.text(attribute.default) or 'empty'}"


def _repeated(variadic: bool) -> str:
    return "one or more" if variadic else ""
