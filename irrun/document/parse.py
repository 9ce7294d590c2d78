"""Parses a file: rejects hostile content, repairs obvious slips, and reports what is wrong with the rest."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar
from xml.parsers import expat

from irrun.diagnostics import Anchor, Diagnostic, IRError
from irrun.document.repair import Mended, first_tag, mend, wrap_fragment
from irrun.document.source_map import SourceMap
from irrun.document.stream import DEEPEST, Elements, Unreadable, check, pieces

T = TypeVar("T")

_ENTITY: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[\w.-]+;")
_NAME: Final = re.compile(rb"[\w:.-]+")
_PREFIX: Final = re.compile(rb"\"[^\"]*\"|'[^']*'|(?P<prefix>[^\s<>/=:\"']++):")
_CODES: Final = expat.errors.codes
_NO_ELEMENTS: Final = _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]
_INVALID_TOKEN: Final = _CODES[expat.errors.XML_ERROR_INVALID_TOKEN]
_UNCLOSED_TOKEN: Final = _CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN]
_PARTIAL_CHARACTER: Final = _CODES[expat.errors.XML_ERROR_PARTIAL_CHAR]
_TAG_MISMATCH: Final = _CODES[expat.errors.XML_ERROR_TAG_MISMATCH]
_UNDEFINED_ENTITY: Final = _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
_JUNK: Final = _CODES[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_UNBOUND_PREFIX: Final = _CODES[expat.errors.XML_ERROR_UNBOUND_PREFIX]


class Parsed(NamedTuple, Generic[T]):
    """The result of reading, and the text that was parsed."""

    content: T
    mended: Mended


def parse(data: bytes, read: Callable[[Elements, Mended], T]) -> Parsed[T]:
    """Return the result of ``read`` on the elements of a file in UTF-8.

    A text may turn out to be malformed while ``read`` runs; its result is then discarded, and it is called again for
    the repaired text. IRError where the file is not XML, not an IR, or hostile.
    """
    _refuse_doctype(data)
    mended = wrap_fragment(data)
    with contextlib.suppress(*Unreadable):
        return Parsed(_read(mended, read), mended)
    stranger = _stranger(data)
    if stranger is not None:
        raise IRError([stranger])
    repaired = mend(data)
    if repaired is not None:
        mended = repaired
        _refuse_doctype(mended.text)
        with contextlib.suppress(*Unreadable):
            return Parsed(_read(mended, read), mended)
    problem = _problem(data, mended)
    slips = [item for item in mended.diagnostics if not _in_one_tag(data, item, problem)]
    raise IRError(sorted((*slips, problem), key=lambda item: item.anchor.offset or 0))


def _read(mended: Mended, read: Callable[[Elements, Mended], T]) -> T:
    """Read the elements of a text; where it is both malformed and not an IR, report that it is malformed."""
    elements = Elements(mended.text)
    try:
        root = elements.root().tag
        if root != "net":
            raise IRError([_not_an_ir(root)])
        return read(elements, mended)
    except IRError:
        check(mended.text)
        raise


def _refuse_doctype(data: bytes) -> None:
    offset = doctype(data)
    if offset is not None:
        raise IRError([refusal("a document type declaration has no place in an IR", Anchor(offset=offset, length=9))])


def _not_an_ir(root: str) -> Diagnostic:
    space, _, name = root.rpartition("}")
    where = f' in the namespace "{space[1:]}", expected <net> in none' if space else ", expected <net>"
    what = f"not an OpenVINO IR: the root element is <{name}>{where}"
    return Diagnostic("IR102", what, Anchor(element=0))


def refusal(message: str, anchor: Anchor) -> Diagnostic:
    """Return the finding for a file that is rejected because reading it would be unsafe."""
    return Diagnostic("IR901", message, anchor)


class _Reached(Exception):
    """The parser has passed the prolog."""


def doctype(data: bytes) -> int | None:
    """Return the offset of the document type declaration, reading only the prolog; None where there is none."""
    parser = expat.ParserCreate("utf-8")
    found: list[int] = []

    def declared(*_: object) -> None:
        found.append(data.find(b"<!DOCTYPE", _prolog_end(data, parser.CurrentByteIndex)))
        raise _Reached

    def element(*_: object) -> None:
        raise _Reached

    parser.StartDoctypeDeclHandler = declared
    parser.StartElementHandler = element
    with contextlib.suppress(_Reached, expat.ExpatError):
        for piece in pieces(data):
            parser.Parse(piece)
    return found[0] if found else None


def _prolog_end(data: bytes, reached: int) -> int:
    """Return the offset where the declaration begins; expat may report an offset inside it."""
    return reached if data.startswith(b"<!DOCTYPE", reached) else max(data.rfind(b"<!DOCTYPE", 0, reached + 9), 0)


def _stranger(data: bytes) -> Diagnostic | None:
    """Return the finding for a text that was never meant to be an IR; None for a malformed IR."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return Diagnostic("IR101", "malformed XML: the file is empty", Anchor(offset=0))
    root = first_tag(data)
    if root is None and b"<net" not in data:
        return Diagnostic("IR102", "not an OpenVINO IR: the file is not XML, expected <net>", Anchor(offset=0))
    if root is not None and root not in ("net", "layer"):
        return _not_an_ir(root)
    return None


def _problem(data: bytes, mended: Mended) -> Diagnostic:
    """Locate and describe the fault in an IR that cannot be parsed."""
    text = mended.text
    opened: list[tuple[str, int]] = []
    parser = expat.ParserCreate("utf-8")
    parser.EndElementHandler = lambda _name: opened.pop()

    def start(name: str, _attributes: object) -> None:
        opened.append((name, parser.CurrentByteIndex))
        if len(opened) > DEEPEST:
            raise _Reached

    parser.StartElementHandler = start
    try:
        for piece in pieces(text):
            parser.Parse(piece)
        parser.Parse(b"", True)
    except _Reached:
        anchor = Anchor(offset=mended.origin(opened[-1][1]), length=len(opened[-1][0]) + 1)
        return refusal(f"elements are nested more than {DEEPEST} deep", anchor)
    except expat.ExpatError as error:
        return _malformed(data, mended, error.code, max(parser.ErrorByteIndex, 0), opened)
    return _misused_prefix(mended) or refusal("a name, a value or a text is longer than any IR has", Anchor(offset=0))


def _misused_prefix(mended: Mended) -> Diagnostic | None:
    """Return the namespace fault in a text that is otherwise well-formed."""
    text = mended.text
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
                return Diagnostic("IR101", what, Anchor(offset=mended.origin(found.start()), length=len(prefix)))
        return Diagnostic("IR101", f"malformed XML: {expat.ErrorString(error.code)}", Anchor(offset=mended.origin(at)))
    return None


def _in_one_tag(data: bytes, a: Diagnostic, b: Diagnostic) -> bool:
    """Return whether two diagnostics are in the same tag, so that one fault may have caused both."""
    return data.rfind(b"<", 0, (a.anchor.offset or 0) + 1) == data.rfind(b"<", 0, (b.anchor.offset or 0) + 1)


def _malformed(data: bytes, mended: Mended, code: int, at: int, opened: list[tuple[str, int]]) -> Diagnostic:
    text = mended.text
    hidden = 2 if mended.fragment else 0
    inner, begins = opened[-1] if len(opened) > hidden else ("", 0)
    notes: tuple[str, ...] = ()
    length = 1
    if inner:
        place = SourceMap(data).span(mended.origin(begins), mended.origin(begins))
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
    elif code == _UNDEFINED_ENTITY:
        entity = _ENTITY.search(text, at)
        if entity is not None:
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
    offset = mended.origin(min(at, len(text)))
    return Diagnostic("IR101", f"malformed XML: {reason}", Anchor(offset=offset, length=length), notes=notes)


def _foreign(text: bytes, at: int) -> str:
    """Describe a byte beyond ASCII that is invalid UTF-8, or a character that no name may contain."""
    character = text[at : at + 4].decode(errors="ignore")[:1]
    if not character or not text.startswith(character.encode(), at):
        return f"byte 0x{text[at]:02x} is no utf-8 text"
    return f"the character U+{ord(character):04X} stands where markup or a name is expected"


def _unclosed_value(text: bytes, at: int) -> tuple[str, int, int] | None:
    """Find the attribute whose closing quote is missing, given the offset ``at`` of an invalid token.

    Returns its name, and the offset and length of its value as far as they can be determined.
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
    """The attribute whose value runs into the next attribute, in a tag that ends with the opening quote of that.

    Its name, and offset and length of its value with the opening quote, as in ``name="value next="``.
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
