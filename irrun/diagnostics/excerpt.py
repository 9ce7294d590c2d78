"""Detaches findings from their file, for caching and for sending them to another process."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from irrun.diagnostics.diagnostic import Anchor
from irrun.diagnostics.render import FileRange, Finding


@dataclass(frozen=True, slots=True)
class Range:
    """A range of rows and columns, counted from 1; the end is exclusive."""

    row: int
    column: int
    end_row: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source that holds only the places and lines of some findings; KeyError for any other."""

    places: dict[Anchor, Range]
    spans: dict[tuple[int, int], Range]
    lines: dict[int, str]

    def locate(self, anchor: Anchor) -> Range:
        return self.places[anchor]

    def span(self, start: int, end: int) -> Range:
        return self.spans[start, end]

    def line(self, row: int) -> str:
        return self.lines[row]


def excerpted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of one file with an ``Excerpt`` in place of their source."""
    excerpt = Excerpt({}, {}, {})
    for finding in findings:
        source, fix = finding.source, finding.diagnostic.fix
        ranges = [excerpt.places.setdefault(finding.diagnostic.anchor, _range(finding.place))]
        for edit in fix.edits if fix is not None else ():
            span = _range(source.span(edit.start, edit.end))
            ranges.append(excerpt.spans.setdefault((edit.start, edit.end), span))
        for row in {row for item in ranges for row in (item.row, item.end_row)}:
            if row not in excerpt.lines:
                excerpt.lines[row] = source.line(row)
    return tuple(dataclasses.replace(finding, source=excerpt) for finding in findings)


def _range(place: FileRange) -> Range:
    return Range(place.row, place.column, place.end_row, place.end_column)
