"""Comparisons as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irrun.cli.tables import aligned, columns, wrapped
from irrun.cli.values import printable
from irrun.diagnostics import listing


def page(record: Mapping[str, Any]) -> str:
    """Format the comparison of one pair."""
    width = columns()
    rows = [["output", "type", "max", "relative", "cosine", "argmax"]]
    problems = []
    for item in record["outputs"]:
        if item["problem"]:
            problems.append(f'output "{printable(item["name"])}": {item["problem"]}')
        else:
            rows.append([printable(item["name"]), *_numbers(item)])
    lines = [aligned(rows, left=2, width=width)] if len(rows) > 1 else []
    for problem in problems:
        lines += wrapped(problem, width, 2)
    lines += ["", _verdict(record)]
    if "layers" in record:
        lines += wrapped(_layer(record), width, 2)
    return "\n".join(lines).lstrip("\n")


def _numbers(item: Mapping[str, Any]) -> list[str]:
    argmax, cosine = item["argmax"], item["cosine"]
    return [
        f"{item['type']}[{','.join(map(str, item['shape']))}]",
        f"{item['max']:.3g}",
        f"{item['relative']:.2g}",
        "-" if cosine is None else f"{cosine:.7f}",
        "-" if argmax is None else f"{argmax['changed']} of {argmax['rows']}",
    ]


def _verdict(record: Mapping[str, Any]) -> str:
    if record["status"] == "equal":
        return "equal within the tolerances"
    count, total = sum(item["differs"] for item in record["outputs"]), len(record["outputs"])
    return f"different: {count} of {total} output{'s' if total > 1 else ''}"


def _layer(record: Mapping[str, Any]) -> str:
    layer = record["layer"]
    if record["layers"] is None:
        return f"the layers cannot be compared: {record['reason']}"
    if layer is None:
        return (
            f"as written, {record['layers']} layers of the same name agree: the outputs differ by optimisation"
            if record["layers"]
            else "no layer has the same name on both sides"
        )
    by = layer["problem"] or f"max {layer['max']:.3g}, relative {layer['relative']:.2g}"
    changed = listing((f'"{printable(name)}"' for name in layer["constants"]), "and")
    constants = f", constants that differ: {changed}" if changed else ""
    return f'first layer that differs: {layer["type"]} "{printable(layer["name"])}", {by}{constants}'


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Format a line for each pair: the output that differs most, and the first layer that does."""
    rows = [["pair", "first layer that differs", "result", "relative"]]
    for record in records:
        worst = max((item.get("relative") or 0.0 for item in record["outputs"]), default=0.0)
        problem = next((item["problem"] for item in record["outputs"] if item["problem"]), "")
        layer = record.get("layer")
        what = layer["name"] if layer else problem
        rows.append([record["name"], printable(what), record["status"], f"{worst:.2g}"])
    return aligned(rows, left=2, width=columns())
