"""Parses a file: rejects hostile content, repairs obvious slips, and reports what is wrong with the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from irrun.diagnostics import Anchor, Diagnostic, IRError
from irrun.document.faults import LfsPointer, MalformedXml, NotAnIr
from irrun.document.stream import Elements, Unreadable
from irrun.document.text import Repaired, first_tag, wrap_fragment
from irrun.document.weights import POINTER

T = TypeVar("T")


class Parsed(NamedTuple, Generic[T]):
    """The result of reading, and the text that was parsed."""

    content: T
    repaired: Repaired


def parse(data: bytes, read: Callable[[Elements, Repaired], T]) -> Parsed[T]:
    """Return the result of ``read`` on the elements of a file in UTF-8.

    A text may turn out to be malformed while ``read`` runs; its result is then discarded, and it is called again for
    the repaired text. IRError where the file is not XML, not an IR, or hostile.
    """
    repaired = wrap_fragment(data)
    try:
        return Parsed(_read(repaired, read), repaired)
    except Unreadable as error:
        refused = error
    from irrun.document.malformed import doctype, merge_conflict, problem
    from irrun.document.repair import repair

    fault = doctype(repaired) or _other_file(data) or merge_conflict(data)
    if fault is not None:
        raise IRError([fault])
    again = repair(data)
    if again is not None:
        repaired = again
        try:
            return Parsed(_read(repaired, read), repaired)
        except Unreadable as error:
            refused = error
    fault = problem(data, repaired, refused)
    slips = [item for item in repaired.diagnostics if not _in_one_tag(data, item, fault)]
    raise IRError(sorted((*slips, fault), key=lambda item: item.anchor.offset or 0))


def _read(repaired: Repaired, read: Callable[[Elements, Repaired], T]) -> T:
    """Read the elements of a text; where it is both malformed and not an IR, report that it is malformed."""
    elements = Elements(repaired.text)
    try:
        root = elements.root().tag
        if root != "net":
            raise IRError([_not_an_ir(root)])
        content = read(elements, repaired)
    except IRError:
        elements.finish()
        raise
    elements.finish()
    return content


def _not_an_ir(root: str) -> Diagnostic:
    space, _, name = root.rpartition("}")
    where = f' in the namespace "{space[1:]}", expected <net> in none' if space else ", expected <net>"
    what = f"not an OpenVINO IR: the root element is <{name}>{where}"
    return NotAnIr(what=what).at(Anchor(element=0))


def _other_file(data: bytes) -> Diagnostic | None:
    """Return the finding for a text that was never meant to be an IR; None for a malformed IR."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return MalformedXml(what="malformed XML: the file is empty").at(Anchor(offset=0))
    if data.startswith(POINTER):
        what = "the file is a Git LFS pointer, not the model; git lfs pull fetches it"
        return LfsPointer(what=what).at(Anchor(offset=0))
    root = first_tag(data)
    if root is None and b"<net" not in data:
        return NotAnIr(what="not an OpenVINO IR: the file is not XML, expected <net>").at(Anchor(offset=0))
    if root is not None and root not in ("net", "layer"):
        return _not_an_ir(root)
    return None


def _in_one_tag(data: bytes, a: Diagnostic, b: Diagnostic) -> bool:
    """Return whether two diagnostics are in the same tag, so that one fault may have caused both."""
    return data.rfind(b"<", 0, (a.anchor.offset or 0) + 1) == data.rfind(b"<", 0, (b.anchor.offset or 0) + 1)
