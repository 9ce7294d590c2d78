"""Counts the findings of each rule."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, TypedDict

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.results import Results
from irrun.diagnostics.verified import not_verified
from irrun.diagnostics.words import amount

MOST_FILES: Final = 10


@dataclass(frozen=True, slots=True)
class Statistic:
    code: str
    name: str
    severity: Annotated[str, {"enum": [str(item) for item in Severity]}]
    count: int


class StatisticsRecord(TypedDict):
    """The number of findings of each rule, and the numbers of files and output ports."""

    statistics: list[Annotated[dict[str, Any], Statistic]]
    files: int
    ports: int
    unverified: int
    openvino: str | None


def statistics(results: Results) -> list[Statistic]:
    """Return the count of each code, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    severities: dict[str, str] = {}
    for finding in results.findings:
        code = finding.diagnostic.code
        counts[code, finding.name] += 1
        severities.setdefault(code, str(finding.diagnostic.severity))
    rows = [Statistic(code, name, severities[code], count) for (code, name), count in counts.items()]
    return sorted(rows, key=lambda row: (-row.count, row.code))


def as_text(results: Results) -> str:
    """Return a table, the numbers of files and ports, and the release of OpenVINO that the files need."""
    rows = statistics(results)
    width = max((len(str(row.count)) for row in rows), default=0)
    lines = [f"{row.count:>{width}}  {row.code}  {row.severity:7}  {row.name}" for row in rows]
    needs = [f"needs OpenVINO {results.openvino} or later"] if results.openvino is not None else []
    return "\n".join([*lines, checked(results), *needs])


def as_json(results: Results) -> str:
    """Return the same as a JSON object: ``statistics``, ``files``, ``ports``, ``unverified`` and ``openvino``."""
    record: StatisticsRecord = {
        "statistics": [asdict(row) for row in statistics(results)],
        "files": len(results.files),
        "ports": results.ports,
        "unverified": results.undecided,
        "openvino": results.openvino,
    }
    return json.dumps(record, indent=2)


def checked(results: Results) -> str:
    """Return ``2 files checked, 17 output ports verified, 3 not verified``, with the reasons of a single file."""
    text = f"{amount(len(results.files), 'file')} checked, {amount(results.ports, 'output port')} verified"
    if not results.unverified:
        return text
    alone, *others = results.unverified.values()
    return f"{text}, {f'{results.undecided} not verified' if others else not_verified(alone)}"


def unverified(results: Results) -> list[str]:
    """Return a line for each of several files with ports that are not verified: their number and the reasons."""
    if len(results.unverified) < 2:
        return []
    lines = [f"{filename}: {not_verified(items)}" for filename, items in results.unverified.items()]
    more = len(lines) - MOST_FILES
    return [*lines[:MOST_FILES], *([f"and {amount(more, 'more file')}"] if more > 0 else [])]


def found(findings: int) -> str:
    """Return ``2 findings``, or ``no findings``."""
    return amount(findings, "finding") if findings else "no findings"


def verdict(results: Results) -> str:
    """Return ``2 findings``; ``all is well`` where everything was checked, verified and without findings."""
    if results.problems:
        failed = [item for item in results.problems if item.filename]
        if not failed and not results.files:
            return "nothing was checked"
        what = f"{amount(len(failed), 'file')} could not be checked" if failed else "not everything was checked"
        return f"{found(len(results.findings))}, {what}"
    if results.findings or results.undecided or results.refuted:
        return found(len(results.findings))
    return "all is well" if results.files else "nothing was checked"
