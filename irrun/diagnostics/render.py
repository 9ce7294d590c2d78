"""Renders findings as text and as JSON."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, TypedDict

from irrun.diagnostics.diagnostic import Anchor, Diagnostic, Edit, Severity

WIDEST = 160

_CONTROLS = (*range(32), *range(127, 160), 0x2028, 0x2029)
_INVISIBLE = (0xAD, *range(0x200B, 0x200E), *range(0x2060, 0x2065), 0xFEFF, *range(0xE0000, 0xE0080))
_BIDIRECTIONAL = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_NO_LETTERS = (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_UNPRINTABLE = dict.fromkeys((*_CONTROLS, *_INVISIBLE, *_BIDIRECTIONAL, *_NO_LETTERS), "\ufffd") | {9: " "}

COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}


class Position(TypedDict):
    """A place in a file: rows and columns count from 1, columns in characters."""

    row: Annotated[int, {"minimum": 1}]
    column: Annotated[int, {"minimum": 1}]


class EditRecord(TypedDict):
    """A range of the file, and the text that replaces it."""

    content: str
    location: Position
    end_location: Position


class FixRecord(TypedDict):
    """A fix; a safe one keeps the meaning of the model."""

    applicability: Literal["safe", "unsafe"]
    message: str
    edits: list[EditRecord]


class LayerOfFinding(TypedDict):
    """The layer that a finding is about."""

    id: str
    name: str
    type: str
    version: str


class FindingRecord(TypedDict):
    """A finding; ``declared`` is what the file says, ``inferred`` what follows from the rest of the file."""

    code: Annotated[str, {"pattern": "^[A-Z]+[0-9]{3}$", "description": "stable code of the rule"}]
    name: Annotated[str, {"description": "name of the rule, in kebab case"}]
    severity: Annotated[str, {"enum": [str(item) for item in Severity]}]
    message: str
    filename: str
    location: Position
    end_location: Position
    layer: LayerOfFinding | None
    port: str | None
    declared: str | None
    inferred: str | None
    notes: list[str]
    fix: FixRecord | None
    url: str


class FileRange(Protocol):
    """A range of a file, rows and columns from 1."""

    @property
    def row(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_row(self) -> int: ...
    @property
    def end_column(self) -> int: ...


class Source(Protocol):
    """A file that can locate anchors and return its lines."""

    def locate(self, anchor: Anchor) -> FileRange: ...
    def span(self, start: int, end: int) -> FileRange: ...
    def line(self, row: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic with the file it is about; ``name`` and ``url`` are those of its rule."""

    diagnostic: Diagnostic
    filename: str
    source: Source
    name: str = ""
    url: str = ""

    @property
    def place(self) -> FileRange:
        return self.source.locate(self.diagnostic.anchor)


def full(findings: Sequence[Finding], colour: bool = False) -> str:
    """Render each finding with its line of the file, carets under the place, and its notes."""
    return "\n".join(_full(finding, colour) for finding in findings)


def concise(findings: Sequence[Finding], colour: bool = False) -> str:
    """Render each finding as one line."""
    return "\n".join(_headline(finding, colour) for finding in findings)


def as_json(findings: Sequence[Finding]) -> str:
    """Render the findings as a JSON list of objects."""
    return json.dumps([record(finding) for finding in findings], indent=2, ensure_ascii=False)


def record(finding: Finding) -> FindingRecord:
    """Return a finding as JSON-ready values."""
    diagnostic, place = finding.diagnostic, finding.place
    layer = diagnostic.layer
    fix = diagnostic.fix
    return {
        "code": diagnostic.code,
        "name": finding.name,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "filename": finding.filename,
        "location": {"row": place.row, "column": place.column},
        "end_location": {"row": place.end_row, "column": place.end_column},
        "layer": None
        if layer is None
        else {"id": layer.id, "name": layer.name, "type": layer.type, "version": layer.version},
        "port": diagnostic.port,
        "declared": diagnostic.declared,
        "inferred": diagnostic.inferred,
        "notes": list(diagnostic.notes),
        "fix": None
        if fix is None
        else {
            "applicability": fix.applicability,
            "message": fix.message,
            "edits": [_edit(edit, finding.source) for edit in fix.edits],
        },
        "url": finding.url,
    }


def _edit(edit: Edit, source: Source) -> EditRecord:
    place = source.span(edit.start, edit.end)
    return {
        "content": edit.content,
        "location": {"row": place.row, "column": place.column},
        "end_location": {"row": place.end_row, "column": place.end_column},
    }


def _headline(finding: Finding, colour: bool) -> str:
    diagnostic, place = finding.diagnostic, finding.place
    severity = paint(str(diagnostic.severity), COLOURS[diagnostic.severity], colour)
    where = paint(plain(f"{finding.filename}:{place.row}:{place.column}"), "1", colour)
    return f"{where}: {severity}: {message(diagnostic)} [{diagnostic.code}]"


def message(diagnostic: Diagnostic) -> str:
    """Return the subject and the message of a diagnostic in one line."""
    return plain(_subject(diagnostic) + diagnostic.message)


def _subject(diagnostic: Diagnostic) -> str:
    layer = diagnostic.layer
    if layer is None:
        return ""
    called = f' "{layer.name}"' if layer.name else ""
    type = layer.type or "layer"
    return f"{type} {layer.id}{called}: " if layer.id else f"{type}{called}: "


def _full(finding: Finding, colour: bool) -> str:
    diagnostic, place = finding.diagnostic, finding.place
    text = finding.source.line(place.row)
    start = place.column - 1
    end = place.end_column - 1 if place.end_row == place.row else len(text)
    if len(text) > WIDEST:
        cut = max(0, start - WIDEST // 2)
        text = ("…" if cut else "") + text[cut : cut + WIDEST] + ("…" if cut + WIDEST < len(text) else "")
        shift = cut - (1 if cut else 0)
        start, end = start - shift, min(end - shift, len(text))
    text = plain(text)
    number = str(place.row)
    margin = " " * len(number)
    width = max(sum(_width(letter) for letter in text[start:end]), 1)
    carets = paint("^" * width, COLOURS[diagnostic.severity], colour)
    indent = " " * sum(_width(letter) for letter in text[:start])
    lines = [_headline(finding, colour), f"{margin} |", f"{number} | {text}", f"{margin} | {indent}{carets}"]
    lines += [f"{margin} = {plain(note)}" for note in diagnostic.notes]
    fix = diagnostic.fix
    if fix is not None and fix.edits:
        lines.append(f"{margin} = {'fix' if fix.applicability == 'safe' else 'unsafe fix'}: {plain(fix.message)}")
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return the text in one line, with tabs as blanks and without control characters."""
    return text.translate(_UNPRINTABLE)


def _width(letter: str) -> int:
    """Return the number of terminal columns of a letter."""
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 0 if unicodedata.combining(letter) else 1


def paint(text: str, code: str, colour: bool) -> str:
    """Wrap the text in the SGR sequence ``code`` where ``colour`` is set."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
