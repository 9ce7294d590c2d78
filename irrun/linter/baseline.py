"""Baselines: known findings of a project, recorded once and not reported until they change."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics.fingerprint import fingerprint, layer_name
from irrun.diagnostics.render import Finding
from irrun.document.files import content

VERSION: Final = 1
MOST_BYTES: Final = 1 << 26

Entry = tuple[str, str]
"""The file, relative to the folder of the baseline, and the fingerprint."""


class BadBaseline(ValueError):
    """A file is not a valid baseline."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The number of known findings by file and fingerprint, independent of rows and columns."""

    folder: Path
    counts: Mapping[Entry, int]

    def split(self, findings: Iterable[Finding], files: Iterable[str]) -> tuple[list[Finding], int, int]:
        """Return the new findings, the number of known ones, and the number of those no longer found in ``files``."""
        left = Counter(self.counts)
        new: list[Finding] = []
        known = 0
        for finding in findings:
            entry = entry_of(finding, self.folder)
            if left[entry] > 0:
                left[entry] -= 1
                known += 1
            else:
                new.append(finding)
        checked = {_name(filename, self.folder) for filename in files}
        return new, known, sum(count for (filename, _), count in left.items() if filename in checked)


def entry_of(finding: Finding, folder: Path) -> Entry:
    return _name(finding.filename, folder), fingerprint(finding.diagnostic)


def read(path: Path) -> Baseline:
    """Read a baseline. OSError where the file cannot be read, BadBaseline where it is not a baseline."""
    data = content(path, MOST_BYTES)
    try:
        recorded = json.loads(data.decode("utf-8-sig"))
        version = recorded["version"]
        counts = {_entry(item): _count(item["count"]) for item in recorded["findings"]}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadBaseline(f"{path}: not a baseline, expected what --write-baseline writes") from error
    if type(version) is not int or version != VERSION:
        shown = f"version {version}" if type(version) is int else "another version"
        raise BadBaseline(f"{path}: the baseline is of {shown}, expected {VERSION}")
    return Baseline(path.parent, counts)


def _entry(item: Mapping[str, Any]) -> Entry:
    entry = item["filename"], item["fingerprint"]
    if not all(isinstance(part, str) for part in entry):
        raise TypeError
    return entry


def _count(value: object) -> int:
    if type(value) is not int or not 0 < value < 1 << 63:
        raise ValueError
    return value


def text(findings: Iterable[Finding], folder: Path) -> str:
    """Return the baseline of findings as JSON, sorted, so that it changes only with the findings."""
    entries: dict[Entry, dict[str, Any]] = {}
    for finding in findings:
        diagnostic = finding.diagnostic
        filename, mark = entry_of(finding, folder)
        entry = entries.setdefault(
            (filename, mark),
            {
                "filename": filename,
                "code": diagnostic.code,
                "layer": layer_name(diagnostic.layer),
                "message": diagnostic.message,
                "fingerprint": mark,
                "count": 0,
            },
        )
        entry["count"] += 1
    ordered = sorted(
        entries.values(), key=lambda item: (item["filename"], item["code"], item["layer"], item["message"])
    )
    return json.dumps({"version": VERSION, "findings": ordered}, indent=2, ensure_ascii=False) + "\n"


def _name(filename: str, folder: Path) -> str:
    """Return the path relative to a folder, with slashes; the path itself where there is no relative one."""
    try:
        return Path(os.path.relpath(filename, folder)).as_posix()
    except ValueError:
        return Path(filename).as_posix()
