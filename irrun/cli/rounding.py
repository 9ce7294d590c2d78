"""The error that the precision of a run costs, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irrun.cli.tables import aligned, columns
from irrun.cli.values import printable


def text(record: Mapping[str, Any]) -> str:
    """Format the comparison for a terminal."""
    rows = [["against f32", "max", "mean", "cosine"]]
    for item in record["outputs"]:
        numbers = ["-" if item[key] is None else f"{item[key]:.3g}" for key in ("max", "mean")]
        cosine = "-" if item["cosine"] is None else f"{item['cosine']:.7f}"
        rows.append([printable(item["output"]), *numbers, cosine])
    width = columns()
    lines = [aligned(rows, width=width)]
    if record["layers"]:
        named = [
            [printable(item["layer"]), *(f"{item[key]:.2g}" for key in ("error", "own"))] for item in record["layers"]
        ]
        lines += ["", aligned([["rounded by itself", "error of the outputs", "of the layer"], *named], width=width)]
    return "\n".join(lines)
