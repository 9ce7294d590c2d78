"""Text that is not well-formed XML: what is wrong with it, and where.

Expat parses the text again, because it knows the byte at which a fault stands.
"""

from __future__ import annotations

import contextlib
import re
from typing import Final
from xml.parsers import expat

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.faults import HostileMarkup, MalformedXml
from irrun.document.source_map import SourceMap, pieces
from irrun.document.stream import DEEPEST, Unreadable
from irrun.document.text import Repaired

_ENTITY: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[\w.-]+;")
_NAME: Final = re.compile(rb"[\w:.-]+")
_PREFIX: Final = re.compile(rb"\"[^\"]*\"|'[^']*'|(?P<prefix>[^\s<>/=:\"']++):")
_CONFLICT: Final = re.compile(rb"^<{7}(?=[ \r\n])[^\r\n]*", re.M)
_CONFLICT_END: Final = re.compile(rb"^>{7}(?=[ \r\n]|\Z)", re.M)
_VERSION: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?<\?xml\s+version\s*=\s*(?P<quote>[\"'])(?P<version>[^<>\"']*+)(?P=quote)"
)
_VERSIONS: Final = re.compile(rb"1\.[0-9]+")
_CODES: Final = expat.errors.codes
_NO_ELEMENTS: Final = _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]
_INVALID_TOKEN: Final = _CODES[expat.errors.XML_ERROR_INVALID_TOKEN]
_UNCLOSED_TOKEN: Final = _CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN]
_PARTIAL_CHARACTER: Final = _CODES[expat.errors.XML_ERROR_PARTIAL_CHAR]
_TAG_MISMATCH: Final = _CODES[expat.errors.XML_ERROR_TAG_MISMATCH]
_UNDEFINED_ENTITY: Final = _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
_JUNK: Final = _CODES[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_UNBOUND_PREFIX: Final = _CODES[expat.errors.XML_ERROR_UNBOUND_PREFIX]
_DECLARATION: Final = _CODES[expat.errors.XML_ERROR_XML_DECL]


class _TooDeep(Exception):
    """Elements are nested deeper than in any IR."""


class _Reached(Exception):
    """The parser has passed the prolog."""


def doctype(repaired: Repaired) -> Diagnostic | None:
    """Return the finding for a document type declaration, reading only the prolog; None where there is none."""
    text = repaired.text
    parser = expat.ParserCreate("utf-8")
    found: list[int] = []

    def declared(*_: object) -> None:
        # Expat may report an offset inside the declaration.
        found.append(text.rfind(b"<!DOCTYPE", 0, parser.CurrentByteIndex + len(b"<!DOCTYPE")))
        raise _Reached

    def element(*_: object) -> None:
        raise _Reached

    parser.StartDoctypeDeclHandler = declared
    parser.StartElementHandler = element
    with contextlib.suppress(_Reached, expat.ExpatError):
        for piece in pieces(text):
            parser.Parse(piece)
    if not found:
        return None
    fault = HostileMarkup(what="a document type declaration has no place in an IR")
    return fault.at(Anchor(offset=repaired.origin(found[0]), length=9))


def problem(data: bytes, repaired: Repaired, refused: Unreadable) -> Diagnostic:
    """Locate and describe the fault in an IR that cannot be parsed; ``refused`` is what the parser says of it."""
    text = repaired.text
    opened: list[tuple[str, int]] = []
    parser = expat.ParserCreate("utf-8")
    parser.EndElementHandler = lambda _name: opened.pop()

    def start(name: str, _attributes: object) -> None:
        opened.append((name, parser.CurrentByteIndex))
        if len(opened) > DEEPEST:
            raise _TooDeep

    parser.StartElementHandler = start
    try:
        for piece in pieces(text):
            parser.Parse(piece)
        parser.Parse(b"", True)
    except _TooDeep:
        anchor = Anchor(offset=repaired.origin(opened[-1][1]), length=len(opened[-1][0]) + 1)
        return HostileMarkup(what=f"elements are nested more than {DEEPEST} deep").at(anchor)
    except expat.ExpatError as error:
        version = _unknown_version(repaired) if error.code == _DECLARATION else None
        return version or _malformed(data, repaired, error.code, max(parser.ErrorByteIndex, 0), opened)
    return _misused_prefix(repaired) or _unknown_version(repaired) or _refused(repaired, refused)


def merge_conflict(data: bytes) -> Diagnostic | None:
    """Return the finding for the first conflict that a version control system has marked; None without one."""
    begin = _CONFLICT.search(data)
    if begin is None:
        return None
    count = len(_CONFLICT.findall(data))
    end = _CONFLICT_END.search(data, begin.end())
    last = None if end is None else data.count(b"\n", 0, end.start()) + 1
    rows = "" if last is None else f", up to line {last}"
    what = f"a merge conflict is left in the file{rows}; expected one of its two sides, without the markers"
    notes = (f"{count - 1} more conflict{'s' if count > 2 else ''}",) if count > 1 else ()
    return MalformedXml(what=what).at(Anchor(offset=begin.start(), length=len(begin[0])), notes=notes)


def _misused_prefix(repaired: Repaired) -> Diagnostic | None:
    """The fault in the namespaces of a text that is well-formed otherwise."""
    text = repaired.text
    declared = ["xml", "xmlns"]
    parser = expat.ParserCreate("utf-8", "}")
    parser.StartNamespaceDeclHandler = lambda prefix, _uri: declared.append(prefix)
    parser.EndNamespaceDeclHandler = declared.remove
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        at = max(parser.ErrorByteIndex, 0)
        for found in _PREFIX.finditer(text, at, text.find(b">", at)) if error.code == _UNBOUND_PREFIX else ():
            prefix = (found["prefix"] or b"xml").decode()
            if prefix not in declared:
                what = f"malformed XML: the prefix {prefix} is not declared, expected xmlns:{prefix}"
                anchor = Anchor(offset=repaired.origin(found.start()), length=len(prefix))
                return MalformedXml(what=what).at(anchor)
        what = f"malformed XML: {expat.ErrorString(error.code)}"
        return MalformedXml(what=what).at(Anchor(offset=repaired.origin(at)))
    return None


def _unknown_version(repaired: Repaired) -> Diagnostic | None:
    """The fault in a declaration that names an unknown version of XML, which older versions of expat do not read."""
    found = _VERSION.match(repaired.text)
    if found is None or _VERSIONS.fullmatch(found["version"]) is not None:
        return None
    what = f'malformed XML: version "{found["version"].decode(errors="replace")}" of XML is not known, expected 1.0'
    anchor = Anchor(offset=repaired.origin(found.start("version")), length=len(found["version"]))
    return MalformedXml(what=what).at(anchor)


def _refused(repaired: Repaired, refused: Unreadable) -> Diagnostic:
    """The fault in a text that expat accepts."""
    if refused.is_limit:
        return HostileMarkup(what="a name, a value or a text is longer than any IR has").at(Anchor(offset=0))
    lines = repaired.text.split(b"\n", refused.row)
    at = len(b"\n".join(lines[: refused.row - 1])) + (refused.row > 1)
    what = f"malformed XML: {refused.reason[:1].lower()}{refused.reason[1:]}"
    return MalformedXml(what=what).at(Anchor(offset=repaired.origin(at)))


def _malformed(data: bytes, repaired: Repaired, code: int, at: int, opened: list[tuple[str, int]]) -> Diagnostic:
    text = repaired.text
    hidden = 2 if repaired.fragment else 0
    inner, begins = opened[-1] if len(opened) > hidden else ("", 0)
    notes: tuple[str, ...] = ()
    length = 1
    if inner:
        place = SourceMap(data).span(repaired.origin(begins), repaired.origin(begins))
        notes = (f"<{inner}> opens at {place.row}:{place.column}",)
    reason = (expat.ErrorString(code) or "not well-formed") + (f" inside <{inner}>" if inner else "")
    if code == _TAG_MISMATCH:
        closing = text[at : text.find(b">", at)].decode(errors="replace").strip()
        expected = f"expected </{inner}>" if inner else "which was not opened"
        reason, at, length = f"</{closing}> closes nothing, {expected}", at - 2, len(closing.encode()) + 3
    elif code == _NO_ELEMENTS and inner:
        reason, at = f"the file ends inside <{inner}>, expected </{inner}>", len(text.rstrip()) - 1
    elif code in (_UNCLOSED_TOKEN, _PARTIAL_CHARACTER):
        reason = "the file ends inside the tag that begins here" + (f", inside <{inner}>" if inner else "")
        length = len(text) - at
    elif code == _UNDEFINED_ENTITY and (entity := _ENTITY.search(text, at)) is not None:
        at, length = entity.start(), len(entity[0])
        reason = f"no entity {entity[0].decode()}, expected &amp; for a bare &"
    elif code == _JUNK:
        reason = "something follows the end of </net>, expected the end of the file"
    elif code == _INVALID_TOKEN:
        unclosed = _unclosed_value(text, at)
        if unclosed is not None:
            name, at, length = unclosed
            reason = f"the value of {name} has no closing quote"
        elif text[at] >= 0x80:
            reason = _foreign(text, at) + (f" inside <{inner}>" if inner else "")
    offset = repaired.origin(min(at, len(text)))
    return MalformedXml(what=f"malformed XML: {reason}").at(Anchor(offset=offset, length=length), notes=notes)


def _foreign(text: bytes, at: int) -> str:
    """Describe a byte beyond ASCII that is invalid UTF-8, or a character that no name may contain."""
    character = text[at : at + 4].decode(errors="ignore")[:1]
    if not character or not text.startswith(character.encode(), at):
        return f"byte 0x{text[at]:02x} is not valid utf-8"
    return f"unexpected character U+{ord(character):04X}, expected markup or a name"


def _unclosed_value(text: bytes, at: int) -> tuple[str, int, int] | None:
    """The attribute whose value runs on because its closing quote is missing, where an invalid token stands at ``at``.

    Its name, and the offset and the length of its value as far as that can be told.
    """
    tag = text.rfind(b"<", 0, at)
    if tag < 0:
        return None
    inside = text[tag:at]
    if text[at : at + 1] != b"<":
        found = _value_before_another(inside)
        return None if found is None else (found[0], tag + found[1], found[2])
    quote = max(b"\"'", key=lambda mark: inside.count(mark))
    begin = inside.rfind(b"=" + bytes([quote]))
    if begin < 0 or inside.count(quote) % 2 == 0:
        return None
    name = inside[:begin].split()[-1].decode(errors="replace")
    line = inside[begin + 1 :].split(b"\n")[0].rstrip()
    return name, tag + begin + 1, len(line)


def _value_before_another(inside: bytes) -> tuple[str, int, int] | None:
    """Return the attribute whose value runs into the next one, in a tag that ends with an opening quote.

    In ``name="value next="``: the name, and offset and length of the value with its opening quote.
    """
    opening = max(inside.rfind(quote, 0, -1) for quote in (b'"', b"'"))
    before, value = inside[:opening], inside[opening + 1 : -1]
    words = value.removesuffix(b"=").rsplit(None, 1)
    if opening < 0 or not before.endswith(b"=") or not value.endswith(b"=") or b"<" in value or b">" in value:
        return None
    if value[:1].isspace() and len(words) == 1:
        words.insert(0, b"")
    if len(words) < 2 or not _NAME.fullmatch(words[1]):
        return None
    name = before[:-1].split()[-1:] or [b""]
    text = name[0].replace(b"'", b'"').rpartition(b'"')[2]
    return (text.decode(errors="replace"), opening, len(words[0]) + 1) if text else None
