"""Counts the findings of each rule."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass

from irrun.diagnostics.results import Results


@dataclass(frozen=True, slots=True)
class Statistic:
    code: str
    name: str
    severity: str
    count: int


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
    """Return a table, the number of files and ports checked, and the release of OpenVINO that the files need."""
    rows = statistics(results)
    width = max((len(str(row.count)) for row in rows), default=0)
    lines = [f"{row.count:>{width}}  {row.code}  {row.severity:7}  {row.name}" for row in rows]
    needs = [f"needs OpenVINO {results.openvino} or later"] if results.openvino is not None else []
    return "\n".join([*lines, checked(len(results.files), results.ports), *needs])


def as_json(results: Results) -> str:
    """Return the same as a JSON object with ``statistics``, ``files``, ``ports`` and ``openvino``."""
    rows = [asdict(row) for row in statistics(results)]
    record = {"statistics": rows, "files": len(results.files), "ports": results.ports, "openvino": results.openvino}
    return json.dumps(record, indent=2)


def checked(files: int, ports: int) -> str:
    """Return ``2 files checked, 17 output ports verified``."""
    return f"{files} file{'s' if files != 1 else ''} checked, {ports} output port{'s' if ports != 1 else ''} verified"


def found(findings: int) -> str:
    """Return ``2 findings``, or ``all is well`` where there are none."""
    return f"{findings} finding{'s' if findings != 1 else ''}" if findings else "all is well"
