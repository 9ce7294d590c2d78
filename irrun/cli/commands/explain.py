"""Explain a layer in words.

What it computes, its shapes and why, where its inputs come from and what reads it.

LAYER is a name, a tensor name or an id; a layer in a body may follow the names around it: loop/add.

\b
Examples:
  irrun explain model.xml conv1
  irrun explain model.xml loop/add
  irrun explain model.xml 17 --json
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from irrun.cli import values
from irrun.cli.console import result
from irrun.cli.extending import extensions
from irrun.cli.inputs import FILE, usual_options
from irrun.cli.tables import columns, listed, wrapped
from irrun.model import load
from irrun.reporting.explain import Explanation, explain
from irrun.reporting.explain.explanation import Input, Output

_MOST: Final = 8
"""The limit on readers that are shown."""


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.argument("layer")
@usual_options
def command(model: Path, layer: str, output_format: str) -> None:
    found = explain(load(model, extensions=extensions()), layer)
    result(values.as_json(found.as_dict()) if output_format == "json" else _text(found))


def _text(found: Explanation) -> str:
    head = f'{click.style(found.type, bold=True)} "{values.printable(found.name)}"'
    kind = ", ".join(filter(None, (found.version, found.category, f"id {found.id}")))
    lines = [*wrapped(f"{head}  ({kind})", columns(), 2), *_prose(found.computes)]
    lines += _part("shapes", found.shapes)
    lines += _part("faults", found.faults)
    rows = [(item.name, item.value, "" if item.is_given else "default", item.doc) for item in found.attributes]
    lines += _table("attributes", rows)
    lines += _table("inputs", [_input(item) for item in found.inputs])
    lines += _table("outputs", [_output(item) for item in found.outputs])
    lines += _table("bodies", [(tag, f"{count:,} layers") for tag, count in found.bodies])
    lines += _table("runtime information", [(item.place, item.name, item.value) for item in found.info])
    lines += _part("notes", found.notes)
    lines += _part("OpenVINO's CPU plugin", [*found.departures, *found.general])
    if found.page:
        lines += ["", f"page: {found.page}"]
    return "\n".join(lines)


def _prose(sentences: Sequence[str]) -> list[str]:
    return [line for text in sentences for line in wrapped(values.printable(text), columns(), 0)]


def _part(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield from ("", click.style(title, bold=True))
        for text in texts:
            yield from wrapped(f"  {values.printable(text)}", columns(), 4)


def _table(title: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield from ("", click.style(title, bold=True))
        width = columns()
        texts = listed([[*map(values.printable, row)] for row in rows], None if width is None else width - 2)
        yield from (f"  {line}" for text in texts for line in text.split("\n"))


def _input(item: Input) -> tuple[str, ...]:
    port = f":{item.source_port}" if item.source_port else ""
    source = f'from {item.source_type} "{item.source}"{port}' if item.source_type else "not connected"
    value = f" = {item.value}" if item.value else ""
    return f"{item.port} {item.name}", f"{item.type}{item.shape}", f"{source}{value}"


def _output(item: Output) -> tuple[str, ...]:
    shown = [f'{type} "{name}"' for name, type in item.readers[:_MOST]]
    more = f" and {len(item.readers) - _MOST} more" if len(item.readers) > _MOST else ""
    readers = f"read by {', '.join(shown)}{more}" if shown else "read by nothing"
    value = f" = {item.value}" if item.value else ""
    return f"{item.port} {item.name}", f"{item.type}{item.shape}{value}", readers
