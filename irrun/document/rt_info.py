"""Reads the ``<rt_info>`` of a net: how the file was made, and what users note on it."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.document.reader import Document
from irrun.document.records import Info, InfoElement
from irrun.document.stream import Element, Unreadable, tree

_BEGIN, _END = b"<rt_info", b"</rt_info>"


def net_info(document: Document) -> Info:
    """Return the entries of the net's ``<rt_info>``; none where it cannot be read."""
    text = document.repaired.text
    start = text.rfind(_BEGIN, max(text.rfind(b"</layers>"), text.rfind(b"</edges>"), 0))
    end = text.find(_END, start)
    if start < 0 or end < 0:
        return ()
    try:
        return _entry(tree(text[start : end + len(_END)])).children
    except Unreadable:
        return ()


def notes_of(info: Info) -> dict[str, object]:
    """Return entries by name: texts, and dictionaries of those that have entries inside."""
    found: dict[str, object] = {}
    for entry in info:
        given = dict(entry.attributes)
        value: object = given["value"] if "value" in given else notes_of(entry.children)
        found[given.get("name") or entry.tag] = value
    return found


def rt_info(document: Document) -> Mapping[str, str]:
    """Return the entries of the net's ``<rt_info>`` by name, without nested ones."""
    return {name: value for name, value in notes_of(net_info(document)).items() if isinstance(value, str)}


def _entry(element: Element) -> InfoElement:
    children = tuple([_entry(child) for child in element])
    return InfoElement(element.tag, tuple(element.items()), children, "" if children else (element.text or "").strip())
