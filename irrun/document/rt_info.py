"""Reads the ``<rt_info>`` of a net: how the file was made, and what users note on it."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.document.reader import Document
from irrun.document.records import Info, InfoElement
from irrun.document.stream import Element, Unreadable, tree

_UNSET = "unset_cli_parameters"
"""The attribute of ``<unset>`` with the names of the parameters of a conversion that have their defaults."""


def net_info(document: Document) -> Info:
    """Return the entries of the net's ``<rt_info>``; none where it cannot be read."""
    return _section(document, "rt_info") or ()


def model_notes(document: Document) -> dict[str, object]:
    """Return the notes on a model as OpenVINO reads them: those of ``<rt_info>``, or of the elements of old files.

    These are ``<meta_data>``, whose ``<cli_parameters>`` are conversion parameters, and ``<quantization_parameters>``.
    """
    info = _section(document, "rt_info")
    if info is not None:
        return notes_of(info)
    found: dict[str, object] = {}
    for entry in _section(document, "meta_data") or ():
        is_command = entry.tag == "cli_parameters"
        found |= {"conversion_parameters": notes_of(entry.children)} if is_command else notes_of((entry,))
    quantization = _section(document, "quantization_parameters") or ()
    texts = {entry.tag: entry.text for entry in quantization if entry.text}
    return found | {"optimization": notes_of(quantization) | texts}


def _section(document: Document, tag: str) -> Info | None:
    """Return the entries of an element after the layers of the net; None where there is none that can be read."""
    text, end = document.repaired.text, f"</{tag}>".encode()
    start = text.rfind(f"<{tag}".encode(), max(text.rfind(b"</layers>"), text.rfind(b"</edges>"), 0))
    if start >= 0 and text[start : text.find(b">", start)].endswith(b"/"):
        return ()
    stop = text.find(end, start)
    if start < 0 or stop < 0:
        return None
    try:
        return _entry(tree(text[start : stop + len(end)])).children
    except Unreadable:
        return None


def notes_of(info: Info) -> dict[str, object]:
    """Return entries by name: texts, and dictionaries of those that have entries inside."""
    found: dict[str, object] = {}
    for entry in info:
        given = dict(entry.attributes)
        value: object = given["value"] if "value" in given else notes_of(entry.children)
        value = given.get(_UNSET, value)
        found[given.get("name") or entry.tag] = value
    return found


def rt_info(document: Document) -> Mapping[str, str]:
    """Return the entries of the net's ``<rt_info>`` by name, without nested ones."""
    return {name: value for name, value in notes_of(net_info(document)).items() if isinstance(value, str)}


def _entry(element: Element) -> InfoElement:
    children = tuple([_entry(child) for child in element])
    return InfoElement(element.tag, tuple(element.items()), children, "" if children else (element.text or "").strip())
