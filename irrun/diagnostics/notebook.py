"""Tables for notebooks: the ``_repr_html_`` of what irrun returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

_MOST: Final = 200
"""Rows of a table; a last one counts the others."""


def html_table(title: str, headers: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table with a caption, and a note under it; long tables end with the number of the other rows."""
    rows = list(rows)
    head = "".join(f"<th style='text-align:left'>{escape(text)}</th>" for text in headers)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows[:_MOST])
    if len(rows) > _MOST:
        body += f"<tr><td colspan='{len(headers)}'>and {len(rows) - _MOST:,} more</td></tr>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    below = f"<div>{escape(note)}</div>" if note else ""
    return f"<div><b>{escape(title)}</b>{table}{below}</div>"


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    return f"<td style='text-align:{'right' if isinstance(value, int | float) else 'left'}'>{escape(text)}</td>"
