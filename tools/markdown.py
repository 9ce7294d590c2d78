"""Markdown of the generated pages."""

from __future__ import annotations


def cell(text: str) -> str:
    """Return a text as a cell of a table, or an item of a list: one line, with no bar of its own."""
    return text.replace("\n", " ").replace("|", "\\|")
