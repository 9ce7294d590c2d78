"""Formats tensors for people and programs: statistics, values, and the likeliest classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.cli.tables import columns, listed, wrapped
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BY_NAME

FEW: Final = 10
"""The limit up to which all values of a tensor are shown."""


def shape_text(array: Array) -> str:
    return f"[{','.join(map(str, array.shape))}]"


def type_of(array: Array) -> ElementType:
    """Return the element type of an array from a file, or from an operation that declares none."""
    if array.dtype.kind in "UO":
        return BY_NAME["string"]
    if array.dtype.kind == "b":
        return BY_NAME["boolean"]
    return BY_NAME[f"{array.dtype.kind}{8 * array.dtype.itemsize}"]


def statistics(array: Array) -> dict[str, Any]:
    """Return min, max and mean over the finite elements (None without any), and the counts of NaN and infinity."""
    if array.dtype.kind in "UO":
        return {}
    if array.dtype.kind == "b":
        return {"true": int(np.count_nonzero(array))}
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    known: dict[str, Any] = {
        "min": finite.min().item() if finite.size else None,
        "max": finite.max().item() if finite.size else None,
        "mean": _mean(finite) if finite.size else None,
    }
    if array.dtype.kind == "f":
        known["nan"] = int(np.count_nonzero(np.isnan(array)))
        known["inf"] = int(np.count_nonzero(np.isinf(array)))
    return known


def table(rows: Sequence[tuple[str, ElementType, Array]]) -> str:
    """Format a line for each tensor with name, type, shape and statistics, and its values where they are few."""
    width = columns()
    cells = [(printable(name), f"{type}{shape_text(array)}", _said(array)) for name, type, array in rows]
    lines = []
    for line, (_, _, array) in zip(listed(cells, width), rows, strict=True):
        lines.append(line)
        if array.dtype.kind in "UO" or 0 < array.size <= FEW:
            lines += wrapped(f"  {values_text(array)}", width, 2)
    return "\n".join(lines)


def values_text(array: Array) -> str:
    """Format the values on one line; the first ones where they are many."""
    more = ""
    if array.size > FEW:
        more = f" and {array.size - FEW} more"
        array = array.reshape(-1)[:FEW]
    text = np.array2string(array, separator=", ", max_line_width=10**9, threshold=10**9)
    return re.sub(r"\s*\n\s*", " ", text) + more


def printable(name: str) -> str:
    """Return a name without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in name)


def top_lines(rows: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """Format the likeliest classes of each row as a line."""
    texts = [", ".join(f"{_class_text(item)} ({item['score']:.4g})" for item in row) for row in rows]
    return [f"row {number}: {text}" if len(texts) > 1 else text for number, text in enumerate(texts)]


def _class_text(item: Mapping[str, Any]) -> str:
    return printable(item["name"]) if "name" in item else f"class {item['class']}"


def as_json(value: Any) -> str:
    """Return JSON text; numbers that JSON does not have become the texts ``NaN``, ``Infinity`` and ``-Infinity``."""
    import json

    from irrun.evaluation.files.spelling import spelled

    return json.dumps(spelled(value), indent=2, ensure_ascii=False, allow_nan=False)


def _said(array: Array) -> str:
    if array.size == 0:
        return "empty"
    known = statistics(array)
    if "true" in known:
        return f"{known['true']} of {array.size} true"
    if known.get("nan") == array.size:
        return "all NaN"
    words = [f"{name} {known[name]:.6g}" for name in ("min", "max", "mean") if known.get(name) is not None]
    words += [f"{known[key]} {word}" for key, word in (("nan", "NaN"), ("inf", "Inf")) if known.get(key)]
    return "  ".join(words)


def _mean(array: Array) -> float:
    with np.errstate(all="ignore"):
        return float(array.mean(dtype=np.float64))
