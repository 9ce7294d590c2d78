"""Fits tables and prose to a terminal: the last column continues on further lines, long names have their own."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

NARROWEST: Final = 20
"""The least width of the last column beside the others; below them where a terminal leaves less."""

LEAST: Final = 8
"""The width below which no column is clipped."""


def columns() -> int | None:
    """Return the width for tables: ``COLUMNS``, or that of the terminal; None where the output goes elsewhere."""
    if os.environ.get("COLUMNS", "").isdecimal() and int(os.environ["COLUMNS"]):
        return int(os.environ["COLUMNS"])
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def listed(rows: Sequence[Sequence[str]], width: int | None, widest: int | None = None) -> list[str]:
    """Return the text of each row, left-aligned. The last column is wrapped to ``width``, where one is given.

    A first cell longer than ``widest`` then stands on a line of its own.
    """
    limit = widest if width is not None else None
    short = [[row[0] if limit is None or len(row[0]) <= limit else "", *row[1:]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)][:-1]
    indent = sum(widths) + 2 * len(widths)
    if width is not None and indent + NARROWEST > width:
        return [_stacked(row, width) for row in rows]
    texts = []
    for row, cells in zip(rows, short, strict=True):
        start = "".join(f"{cell:{size}}  " for cell, size in zip(cells, widths, strict=False))
        above = [row[0]] if cells[0] != row[0] else []
        lines = [*above, *wrapped(f"{start}{cells[-1]}", width, indent)]
        texts.append("\n".join(line.rstrip() for line in lines))
    return texts


def _stacked(row: Sequence[str], width: int) -> str:
    """Return a row whose last cell stands below the others, for a narrow terminal."""
    *first, last = row
    lines = wrapped("  ".join(filter(None, first)), width, 2) if any(first) else []
    return "\n".join([*lines, *wrapped(f"    {last}", width, 4)])


def aligned(rows: Sequence[Sequence[str]], left: int = 1, width: int | None = None) -> str:
    """Format rows as a table: the first ``left`` columns left-aligned, the others right-aligned.

    The widest of the left columns are clipped until the table fits ``width``, where one is given. If it then is still
    too wide, the other columns stand on further lines.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    full, gaps = list(widths), len(widths) - 1
    while width is not None and sum(widths) + 2 * gaps > width and max(widths[:left]) > LEAST:
        widths[widths.index(max(widths[:left]))] -= 1
    if width is not None and sum(widths) + gaps > width:
        return "\n".join(_folded(rows, full, left, width))
    gap = " " if width is not None and sum(widths) + 2 * gaps > width else "  "
    return "\n".join(
        gap.join(
            clipped(cell, size).ljust(size) if index < left else cell.rjust(size)
            for index, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _folded(rows: Sequence[Sequence[str]], widths: Sequence[int], left: int, width: int) -> Iterator[str]:
    """Yield the lines of a table whose left columns stand above the others, and those in as many lines as they need."""
    lines: list[list[int]] = [[]]
    for column in range(left, len(widths)):
        taken = sum(widths[index] + 2 for index in (*lines[-1], column))
        if lines[-1] and taken > width:
            lines.append([])
        lines[-1].append(column)
    for row in rows:
        yield from wrapped("  ".join(filter(None, row[:left])), width, 2)
        for columns in lines:
            yield "".join(f"  {row[index]:>{widths[index]}}" for index in columns).rstrip()


def wrapped(text: str, width: int | None, indent: int) -> list[str]:
    """Break a line at spaces to ``width`` columns; continuation lines are indented. None breaks nothing."""
    if width is None or len(text) <= width:
        return [text]
    room = max(width - indent, NARROWEST)
    head, tail = text[:indent], text[indent:]
    parts = textwrap.wrap(tail, room, break_long_words=False, break_on_hyphens=False) or [""]
    return [head + parts[0], *(" " * indent + part for part in parts[1:])]


def filled(text: str, width: int | None) -> str:
    """Break the paragraphs of a text to ``width`` columns, except headings and indented lines. None breaks nothing."""
    if width is None:
        return text
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line and not line.startswith(("#", " ")):
            paragraph.append(line)
            continue
        if paragraph:
            lines += wrapped(" ".join(paragraph), width, 0)
            paragraph.clear()
        lines.append(line)
    return "\n".join(lines[:-1])


def clipped(text: str, most: int) -> str:
    """Return a text with its middle left out where it is longer than ``most``."""
    if len(text) <= most:
        return text
    kept = max(most - 3, 2)
    return f"{text[: kept // 2]}...{text[len(text) - (kept - kept // 2) :]}"
