"""Predictions for each input, as lines of JSON or of a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import near_match
from irrun.diagnostics.requests import RequestError
from irrun.document.replacing import replacing
from irrun.evaluation.files.spelling import compact
from irrun.evaluation.files.targets import refuse_standard_output

SUFFIXES: Final = (".csv", ".jsonl")


def check(path: Path) -> None:
    """Raise RequestError where predictions cannot be written to a path."""
    refuse_standard_output(path)
    if path.suffix not in SUFFIXES:
        close = near_match(path.suffix, SUFFIXES) or f", expected {' or '.join(SUFFIXES)}"
        raise RequestError(f"{path}: predictions are not written to {path.suffix or 'such'} files{close}")


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a line for each row."""
    text = io.StringIO()
    if path.suffix == ".csv":
        names = sorted({name: None for row in rows for name in row}, key="error".__eq__)
        table = csv.DictWriter(text, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    else:
        text.writelines(f"{compact(dict(row))}\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode("utf-8", errors="surrogateescape"))
