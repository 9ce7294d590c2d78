"""Text for a terminal: findings grouped under the name of their file."""

from __future__ import annotations

from itertools import groupby

from irrun.diagnostics.render import COLOURS, message, paint, plain
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    blocks = []
    for filename, members in groupby(results.findings, key=lambda finding: finding.filename):
        findings = list(members)
        places = [f"{finding.place.row}:{finding.place.column}" for finding in findings]
        severities = [str(finding.diagnostic.severity) for finding in findings]
        wide, broad = max(map(len, places)), max(map(len, severities))
        lines = [f"{paint(plain(filename), '1', results.colour)}:"]
        for finding, place, severity in zip(findings, places, severities, strict=True):
            painted = paint(f"{severity:{broad}}", COLOURS[finding.diagnostic.severity], results.colour)
            lines.append(f"  {place:>{wide}}  {painted}  {finding.diagnostic.code}  {message(finding.diagnostic)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
