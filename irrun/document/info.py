"""Entries of the ``<rt_info>`` of layers and ports, by the keys that OpenVINO's API has for them.

``<attribute name="layout" version="0" layout="[N,C]"/>`` has the key ``layout_0``, and
``<user_data name="mine" value="1" version=""/>`` the key ``user_datamine``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from irrun.document.records import Info, InfoElement

USER: Final = "user_data"
"""The tag of what users note, and the beginning of its keys."""

LAYOUT: Final = "layout_0"
"""The key of the names of the axes of a tensor."""

DECOMPRESSION: Final = "decompression_0"
"""The key of the mark of a Convert that decompresses weights."""

_ATTRIBUTE: Final = "attribute"

_TEXTS: Final = {
    "DisablePrecisionConversion": "value",
    "decompression": "",
    "fused_names": "value",
    "layout": "layout",
    "memory_type": "value",
    "old_api_map_element_type": "value",
    "old_api_map_order": "value",
    "precise": "",
    "preprocessing": "",
    "primitives_priority": "value",
}
"""The attributes that OpenVINO writes, each with the XML attribute of its text."""

_KEYS: Final = {f"{name}_0": name for name in _TEXTS}


def key_of(entry: InfoElement) -> str:
    """Return the key of an entry."""
    given = dict(entry.attributes)
    name = given.get("name", "")
    if entry.tag == _ATTRIBUTE:
        return f"{name}_{given.get('version', '')}"
    return USER + name if entry.tag == USER else name or entry.tag


def value_of(entry: InfoElement) -> str | dict[str, object]:
    """Return the text of an entry, or the entries inside it by name."""
    given = dict(entry.attributes)
    if entry.children and "value" not in given:
        return {dict(item.attributes).get("name", item.tag): value_of(item) for item in entry.children}
    texts = [text for name, text in entry.attributes if name not in ("name", "version")]
    return ", ".join(texts)


def entry_of(key: str, value: object) -> InfoElement | None:
    """Return the entry of a key and a value; None for a key that OpenVINO's files do not have."""
    if key.startswith(USER) and key != USER:
        return _user_data(key.removeprefix(USER), value)
    name = _KEYS.get(key)
    if name is None:
        return None
    text = ((_TEXTS[name], str(value)),) if _TEXTS[name] else ()
    return InfoElement(_ATTRIBUTE, (("name", name), ("version", "0"), *text))


def find(info: Info, key: str) -> InfoElement | None:
    """Return the entry of a key; None where there is none."""
    return next((entry for entry in info if key_of(entry) == key), None)


def with_entry(info: Info, entry: InfoElement) -> Info:
    """Return entries with another one, in the order of their keys, in place of one with the same key."""
    return tuple(sorted((*without(info, key_of(entry)), entry), key=key_of))


def without(info: Info, key: str) -> Info:
    """Return entries without that of a key."""
    return tuple(entry for entry in info if key_of(entry) != key)


def merged(infos: Iterable[Info]) -> Info:
    """Return the entries of layers that one layer takes the place of: names of all, otherwise the first of each key."""
    found: dict[str, InfoElement] = {}
    for entry in (entry for info in infos for entry in info):
        key = key_of(entry)
        if key in found and key == "fused_names_0":
            names = {name.strip() for item in (found[key], entry) for name in str(value_of(item)).split(",")}
            found[key] = InfoElement(
                _ATTRIBUTE, (("name", "fused_names"), ("version", "0"), ("value", ", ".join(sorted(names))))
            )
        found.setdefault(key, entry)
    return tuple(found.values())


def texts(info: Info) -> dict[str, str]:
    """Return entries as texts, by name; nested ones by the names around them, with slashes."""
    found: dict[str, str] = {}
    for entry in info:
        _add_texts(found, dict(entry.attributes).get("name", entry.tag), entry)
    return found


def _add_texts(found: dict[str, str], name: str, entry: InfoElement) -> None:
    value = value_of(entry)
    if isinstance(value, str):
        found[name] = value
        return
    for child in entry.children:
        _add_texts(found, f"{name}/{dict(child.attributes).get('name', child.tag)}", child)


def _user_data(name: str, value: object) -> InfoElement:
    if isinstance(value, Mapping):
        inside = tuple(_user_data(str(key), item) for key, item in sorted(value.items()))
        return InfoElement(USER, (("name", name), ("version", "")), inside)
    return InfoElement(USER, (("name", name), ("value", text_of(value)), ("version", "")))


def text_of(value: object) -> str:
    """Return a value as OpenVINO writes those of layers: values of a list with spaces, YES or NO."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, list | tuple):
        return " ".join(str(int(item)) if isinstance(item, bool) else text_of(item) for item in value)
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)
