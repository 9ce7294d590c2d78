"""Runs of a model as text: times, tiers, BLAS, and the error of a precision."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from irrun.cli.console import warn
from irrun.cli.tables import aligned, columns
from irrun.cli.values import printable
from irrun.diagnostics import amount
from irrun.runtime.tiers import tier_text

CORE_TYPE: Final = "OPENBLAS_CORETYPE"


def say_pinned_blas() -> None:
    """Warn if BLAS is pinned to an architecture."""
    pinned = os.environ.get(CORE_TYPE)
    if pinned:
        warn(f"{CORE_TYPE}={pinned} pins BLAS to an architecture, which can halve its speed; unset it to measure")


def blas_text(blas: Mapping[str, Any]) -> str:
    return f"{blas['name']} {blas['version']}, {blas['architecture']}, {amount(blas['threads'], 'thread')}"


def short(milliseconds: float) -> str:
    """Format a time in milliseconds with three significant digits."""
    if milliseconds < 10:
        return f"{milliseconds:.3f}"
    if milliseconds < 100:
        return f"{milliseconds:.2f}"
    return f"{milliseconds:.1f}" if milliseconds < 1000 else f"{milliseconds:.0f}"


def short_sum(parts: Sequence[float]) -> list[str]:
    """Format times in milliseconds and, before them, their sum, so that what is printed adds up."""
    digits = len(short(sum(parts)).partition(".")[2])
    whole = [round(part, digits) for part in parts]
    return [f"{number:.{digits}f}" for number in (sum(whole), *whole)]


def tier_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Return a record of `Tiers.as_dict` as rows of a table: tiers, steps on NumPy, bailouts."""
    found = [["tier", tier_text(record["tier"])]]
    numpy = record["runs_by_tier"]["numpy"]
    if numpy and record["runs_by_tier"]["compiled"]:
        found.append(["", f"{amount(format(sum(numpy.values()), ','), 'run')} on NumPy: {_reasons(numpy)}"])
    elif numpy and record["tier"] == "numpy":
        found[0][1] += "" if any(reason in found[0][1] for reason in numpy) else f": {', '.join(numpy)}"
    if record["steps"]:
        steps = record["interpreted"]
        found.append(["steps", f"{sum(steps.values())} of {record['steps']:,} on NumPy{_behind(steps)}"])
        bailouts = record["bailouts"]
        found.append(["bailouts", f"{sum(bailouts.values())}{_behind(bailouts)}"])
    return found


def _behind(counts: Mapping[str, int]) -> str:
    return f": {_reasons(counts)}" if counts else ""


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))


def rounding_text(record: Mapping[str, Any]) -> str:
    """Format the error that a precision costs."""
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


def lost_text(record: Mapping[str, Any]) -> str:
    """Format where numbers are lost if the results of all layers are rounded (`FirstNotFinite.as_dict`)."""
    from irrun.debugging.stopping import KINDS

    what = KINDS[record["kind"]]
    place = f'{record["type"]} "{printable(record["layer"])}" makes {what} ({amount(record["count"], "element")})'
    return f"rounded to {record['precision']} at every layer, as written, {place}; {'; '.join(record['causes'])}"
