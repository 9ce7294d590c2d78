"""Functions of two elements, by which elements are combined with others."""

from __future__ import annotations

from typing import Any, Final

from irrun_kernels.native import FAR, Deferred
from irrun_kernels.scalars import ELEMENTS, compiled

FOLDED: Final = ("add", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or")
"""The functions that there are, by their names in `ELEMENTS`."""


def _combine() -> Any:
    elements = [(number, each) for number, each in enumerate(ELEMENTS) if each.name in FOLDED]
    lines = ["def combine(number, count, out, x, rows, row, column):"]
    for number, element in elements:
        pointer = f"pointer_{ord(element.result)}"
        lines += [
            f"    if number == {number}:",
            f"        loop_{number}(carray({pointer}(out), count), carray({pointer}(x), {FAR}), rows, row, column)",
        ]
    for number, _ in elements:
        lines += [
            f"def loop_{number}(out, x, rows, row, column):",
            "    if column == 1:",
            "        for j in range(rows):",
            "            for i in range(len(out)):",
            f"                out[i] = function_{number}(out[i], x[np.uint64(j * row + i)])",
            "    else:",
            "        for i in range(len(out)):",
            "            result = out[i]",
            "            for j in range(rows):",
            f"                result = function_{number}(result, x[np.uint64(j * row + i * column)])",
            "            out[i] = result",
        ]
    return compiled(lines, elements, "combine").form


combine: Any = Deferred(_combine)
"""``combine(number, count, out, x, rows, row, column)``: combine the elements of ``out`` with those of some rows.

The number is that of one of `ELEMENTS`. The distances ``row`` and ``column`` of elements are in elements.
"""
