"""Applies fixes to a file, byte for byte, until none is left."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from irrun.diagnostics import Diagnostic, Edit, Fix
from irrun.document.encoding import decode, encode
from irrun.document.replacing import clear, replacing
from irrun.linter.differing import unified

MOST_ROUNDS: Final = 100
"""The limit on rounds of fixing and checking; each round fixes what the previous one has revealed."""

Check = Callable[[bytes], Sequence[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A file after its fixes: its bytes, the applied fixes in order, and the remaining findings."""

    data: bytes
    applied: tuple[Diagnostic, ...]
    left: Sequence[Diagnostic]


def apply_fixes(data: bytes, check: Check, *, unsafe: bool = False) -> Outcome:
    """Apply the fixes of the findings of ``check``, repeatedly, until none is left.

    Unsafe fixes are included where ``unsafe`` is set. Offsets of fixes count bytes of UTF-8: a file in another encoding
    is decoded, fixed and encoded again. It stays as it is where its encoding cannot hold the text, and where fixes go
    on revealing others.
    """
    file, data = data, decode(data).data
    found = check(data)
    if encode(data, file) != file:
        return Outcome(file, (), found)
    applied: list[Diagnostic] = []
    seen = {data}
    for _ in range(MOST_ROUNDS):
        chosen = without_overlap(item for item in found if is_wanted(item.fix, unsafe=unsafe))
        after = edited(data, (edit for item in chosen if item.fix is not None for edit in item.fix.edits))
        if after in seen:
            written = encode(data, file)
            return Outcome(file, (), check(file)) if written is None else Outcome(written, tuple(applied), found)
        seen.add(after)
        data = after
        applied += chosen
        found = check(data)
    return Outcome(file, (), check(file))


def is_wanted(fix: Fix | None, *, unsafe: bool) -> bool:
    """Return whether a fix has edits and is safe, or may be unsafe."""
    return fix is not None and bool(fix.edits) and (unsafe or fix.applicability == "safe")


def without_overlap(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics whose fixes do not conflict with that of an earlier one."""
    kept: list[Diagnostic] = []
    taken: list[Edit] = []
    known: set[Edit] = set()
    for item in found:
        edits = [] if item.fix is None else [edit for edit in item.fix.edits if edit not in known]
        if not any(_meets(edit, taken) for edit in edits):
            for edit in edits:
                bisect.insort(taken, edit, key=_range)
            known.update(edits)
            kept.append(item)
    return kept


def edited(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits that do not overlap; equal edits count once."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(set(edits), key=_range):
        parts += [data[at : edit.start], edit.content.encode()]
        at = edit.end
    return b"".join([*parts, data[at:]])


def diff(filename: str, before: bytes, after: bytes) -> str:
    """Return the changes to a file as a unified diff."""
    old, new = (_text(data).splitlines(keepends=True) for data in (before, after))
    lines = unified(old, new, filename)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def rewrite(path: Path, before: bytes, data: bytes) -> None:
    """Replace the content of a file atomically where it changes, keeping its mode, owner and extended attributes.

    What an interrupted write has left beside the file is removed. OSError where the file is not writable, has several
    hard links, or no longer holds ``before``; it is then unchanged.
    """
    clear(path)
    if data != before:
        with replacing(path, before) as file:
            file.write(data)


def _text(data: bytes) -> str:
    return decode(data).data.decode("utf-8", errors="replace")


def _range(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _meets(edit: Edit, taken: Sequence[Edit]) -> bool:
    """Return whether an edit overlaps one of ``taken``, which are sorted, or inserts where one begins."""
    at = bisect.bisect_left(taken, edit.start, key=lambda other: other.start)
    before = at > 0 and taken[at - 1].end > edit.start
    behind = at < len(taken) and (taken[at].start < edit.end or taken[at].start == edit.start)
    return before or behind
