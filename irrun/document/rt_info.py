"""Reads the ``<rt_info>`` of a net: how the file was made. Nothing in the model depends on it."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.document.reader import Document
from irrun.document.stream import Unreadable, tree

_BEGIN, _END = b"<rt_info", b"</rt_info>"


def rt_info(document: Document) -> Mapping[str, str]:
    """Return the entries of the net's ``<rt_info>`` by name, without nested ones."""
    text = document.repaired.text
    start = text.rfind(_BEGIN, max(text.rfind(b"</layers>"), 0))
    end = text.find(_END, start)
    if start < 0 or end < 0:
        return {}
    try:
        entries = tree(text[start : end + len(_END)])
    except Unreadable:
        return {}
    values = ((item.get("name", item.tag), item.get("value")) for item in entries)
    return {name: value for name, value in values if value is not None}
