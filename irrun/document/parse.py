"""Text -> what is read of it: refuses what is hostile, mends what is plain, and says what is wrong with the rest."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar
from xml.parsers import expat

from irrun.diagnostics import Anchor, Diagnostic, IRError
from irrun.document.stream import Elements, Unreadable, check, pieces
from irrun.document.text import Mended, first_tag, wrap_fragment

T = TypeVar("T")


class Parsed(NamedTuple, Generic[T]):
    """What was read, and the text that it was read from."""

    content: T
    mended: Mended


def parse(data: bytes, read: Callable[[Elements, Mended], T]) -> Parsed[T]:
    """What ``read`` makes of the elements of a file in UTF-8. IRError where it is not XML, not an IR, or hostile.

    ``read`` gets the elements of a text that may turn out to be malformed while it reads; then what it has made counts
    for nothing, and it is called once more for the text as mended.
    """
    _refuse_doctype(data)
    mended = wrap_fragment(data)
    with contextlib.suppress(*Unreadable):
        return Parsed(_read(mended, read), mended)
    stranger = _stranger(data)
    if stranger is not None:
        raise IRError([stranger])
    from irrun.document.malformed import problem
    from irrun.document.repair import mend

    repaired = mend(data)
    if repaired is not None:
        mended = repaired
        _refuse_doctype(mended.text)
        with contextlib.suppress(*Unreadable):
            return Parsed(_read(mended, read), mended)
    fault = problem(data, mended)
    slips = [item for item in mended.diagnostics if not _in_one_tag(data, item, fault)]
    raise IRError(sorted((*slips, fault), key=lambda item: item.anchor.offset or 0))


def _read(mended: Mended, read: Callable[[Elements, Mended], T]) -> T:
    """What is read of a text; where it holds no IR and is not well-formed either, the latter counts."""
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
    """The finding that a file is not read because of what it would do to its reader."""
    return Diagnostic("IR901", message, anchor)


class _Reached(Exception):
    """The prolog is over."""


def doctype(data: bytes) -> int | None:
    """The offset of the document type declaration; None where there is none. No more than the prolog is read."""
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
    """Where the declaration begins that expat reports: not always where it stands in the middle of it."""
    return reached if data.startswith(b"<!DOCTYPE", reached) else max(data.rfind(b"<!DOCTYPE", 0, reached + 9), 0)


def _stranger(data: bytes) -> Diagnostic | None:
    """What a text that cannot be parsed is instead of an IR; None where it was meant to be one."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return Diagnostic("IR101", "malformed XML: the file is empty", Anchor(offset=0))
    root = first_tag(data)
    if root is None and b"<net" not in data:
        return Diagnostic("IR102", "not an OpenVINO IR: the file is not XML, expected <net>", Anchor(offset=0))
    if root is not None and root not in ("net", "layer"):
        return _not_an_ir(root)
    return None


def _in_one_tag(data: bytes, a: Diagnostic, b: Diagnostic) -> bool:
    """Whether two diagnostics stand in one tag, so that one fault may be behind both."""
    return data.rfind(b"<", 0, (a.anchor.offset or 0) + 1) == data.rfind(b"<", 0, (b.anchor.offset or 0) + 1)
