"""Converts XML in any encoding to UTF-8, so that all byte offsets refer to the same text."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.faults import MalformedXml

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED: Final = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"<\?xml\s[^<>]{0,200}?encoding\s*=\s*[\"']([A-Za-z][\w.-]{0,40})[\"']")
_WIDE: Final = r"(?i)(utf|ucs|u|iso-10646-ucs)[-_]?(16|32|2|4)([-_]?[lb]e)?"
_NARROW: Final = (
    r"(?i)(us-)?ascii|utf[-_]?8|latin[-_]?\d+|iso[-_]?8859[-_]?\d+|(windows|cp)[-_]?\d+|koi8[-_][ru]|mac[-_]?\w+"
    r"|shift[-_]?jis|euc[-_]?(jp|kr|cn|tw)|iso-2022-(jp|kr)|gb2312|gbk|gb18030|big5"
)


class DecodedFile(NamedTuple):
    """A file in UTF-8, and diagnostics about its declared encoding."""

    data: bytes
    diagnostics: tuple[Diagnostic, ...]


def decode(data: bytes) -> DecodedFile:
    """Return the data itself where it is UTF-8; otherwise the same text in UTF-8, with a byte order mark.

    Decoding twice changes nothing.
    """
    if data.startswith(codecs.BOM_UTF8):
        return DecodedFile(data, ())
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _rewritten(data[len(mark) :], name, None)
    for begin, name in _UNMARKED:
        if data.startswith(begin):
            return _rewritten(data, name, None)
    declared = _DECLARED.match(data)
    if declared is None:
        return DecodedFile(data, ())
    name = declared[1].decode()
    if name.lower() == "utf-8":
        return DecodedFile(data, ())
    place = Anchor(offset=declared.start(1), length=len(name))
    if re.fullmatch(_WIDE, name) is not None:
        what = f'the file says encoding="{name}" and is not in it; encoding="utf-8" was meant'
        return DecodedFile(data, (MalformedXml(what=what).at(place),))
    if re.fullmatch(_NARROW, name) is None or not _is_known(name):
        what = f'encoding="{name}" is not known, expected utf-8'
        return DecodedFile(data, (MalformedXml(what=what).at(place),))
    if data.isascii() or codecs.lookup(name).name in ("utf-8", "ascii"):
        return DecodedFile(data, ())
    return _rewritten(data, name, place)


def encode(data: bytes, like: bytes) -> bytes | None:
    """Return UTF-8 in the encoding of the file ``like``, with its byte order mark; None where it cannot hold the text.

    The inverse of ``decode``.
    """
    if decode(like).data == like:
        return data
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    for mark, name in _MARKS:
        if like.startswith(mark):
            return mark + text.encode(name)
    names = [name for begin, name in _UNMARKED if like.startswith(begin)]
    declared = _DECLARED.match(like)
    try:
        return text.encode(names[0] if names else declared[1].decode() if declared is not None else "utf-8")
    except UnicodeEncodeError:
        return None


def _rewritten(data: bytes, name: str, declared: Anchor | None) -> DecodedFile:
    found: tuple[Diagnostic, ...] = ()
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(name, errors="replace").encode(errors="replace")
        place = Anchor(offset=len(codecs.BOM_UTF8) + len(before)) if declared is None else declared
        byte = data[error.start : error.start + 1].hex()
        found = (MalformedXml(what=f"byte 0x{byte} at offset {error.start} is not valid {name}").at(place),)
        text = data.decode(name, errors="replace")
    return DecodedFile(codecs.BOM_UTF8 + text.encode(errors="replace"), found)


def _is_known(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
