"""Show the structural difference of two models.

Layers that were added, removed or renamed, and changed operations, attributes, shapes, types, constants, edges and
runtime information (rt_info), also inside bodies; and declared types and shapes of ports that are not the inferred
ones. Ids, the order of layers and the spelling of attributes do not count: layers are matched by name, then by
structure. Constants are compared by their bytes.

Changes of shapes, types and edges that follow from other changes are only counted; --all lists them too.

\b
Examples:
  irrun diff old.xml new.xml
  irrun diff old.xml new.xml --ignore-names
  irrun diff old.xml new.xml --json

The exit status is 0 where the models are equal, 1 where they differ, and 2 where one cannot be read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from irrun.cli import values
from irrun.cli.console import note, result
from irrun.cli.extending import extensions
from irrun.cli.inputs import FILE, usual_options
from irrun.cli.tables import clipped, columns, wrapped
from irrun.diagnostics import amount
from irrun.model import load
from irrun.reporting.diff import Change, Difference, diff

DIFFERENT: Final = 1
_SHOWN: Final = 20
_WIDEST: Final = 60


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.argument("other", type=FILE)
@click.option("--ignore-names", is_flag=True, help="Ignore the names of layers and tensors.")
@click.option("--all", "every", is_flag=True, help="List every change, including those that follow from others.")
@usual_options
def command(model: Path, other: Path, ignore_names: bool, every: bool, output_format: str) -> None:
    first, second = (load(path, extensions=extensions()) for path in (model, other))
    found = diff(first, second, names=not ignore_names)
    if output_format == "json":
        result(values.as_json({"model": str(model), "other": str(other), **found.as_dict()}))
    else:
        result(_text(found, every))
    for ends in found.reordered:
        note(f"the {ends} are in a different order")
    if found.is_equal and not found.reordered and model.read_bytes() != other.read_bytes():
        note("the files differ in ids, the order of layers, spelling or the release that wrote them")
    if found.unread:
        note("constants without a weights file are compared by type and shape")
    if not found.is_equal:
        raise click.exceptions.Exit(DIFFERENT)


def _text(found: Difference, every: bool) -> str:
    if found.is_equal:
        return f"equal: {amount(format(found.layers[0], ','), 'layer')}"
    lines: list[str] = []
    for kind, count in found.counts.items():
        changes = [change for change in found.changes if change.kind == kind and not change.follows]
        shown = changes if every else changes[:_SHOWN]
        lines.append(f"{kind} ({count:,})")
        lines += [line for change in shown for line in wrapped(f"  {_line(change)}", columns(), 4)]
        if len(shown) < len(changes):
            lines.append(f"  and {len(changes) - len(shown):,} more; --all lists them")
    following = [change for change in found.changes if change.follows]
    if following:
        lines.append(f"and {_counted(following)} that follow from these")
    if every:
        lines += [line for change in following for line in wrapped(f"  {_line(change)}", columns(), 4)]
    return "\n".join(lines)


def _line(change: Change) -> str:
    name, other = values.printable(change.layer), values.printable(change.other)
    place = f'{change.type} "{name or other}"' if name or other else change.type
    if change.kind in ("added", "removed"):
        return place
    if change.kind == "renamed" and change.what == "layer":
        return f'{place} -> "{other}"'
    before, after = (clipped(values.printable(text), _WIDEST) or "none" for text in (change.before, change.after))
    return f"{place}: {change.what}{f' {before} -> {after}' if change.before or change.after else ''}"


def _counted(changes: list[Change]) -> str:
    counts = {kind: sum(change.kind == kind for change in changes) for kind in ("shape", "type", "edge")}
    words = {"shape": "shapes", "type": "types", "edge": "edges"}
    return ", ".join(f"{count:,} {words[kind] if count > 1 else kind}" for kind, count in counts.items() if count)
