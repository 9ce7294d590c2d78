"""What became of the graphs so far: a line of JSON for each, and a summary."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.graphs.campaign import Outcome
from tests.graphs.generate import operations


class Progress:
    """The outcomes in ``progress.jsonl`` of a folder, those of earlier runs included."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "progress.jsonl"
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        self._outcomes = [Outcome(**json.loads(line)) for line in lines]

    @property
    def done(self) -> set[int]:
        """The seeds that need not be run again."""
        return {outcome.seed for outcome in self._outcomes}

    def add(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")

    def summary(self) -> str:
        """Counts: graphs, operations, what explains differences, what nothing explains."""
        used = Counter(name for outcome in self._outcomes for name in outcome.operations)
        reasons = Counter(reason for outcome in self._outcomes for reason in outcome.explained)
        findings = Counter(text.split(": ")[0] for outcome in self._outcomes for text in outcome.findings)
        same = sum(not outcome.findings and not outcome.explained for outcome in self._outcomes)
        explained = sum(not outcome.findings and bool(outcome.explained) for outcome in self._outcomes)
        unused = sorted(set(operations()) - set(used))
        return "\n".join(
            [
                f"{len(self._outcomes)} graphs, {sum(outcome.layers for outcome in self._outcomes)} layers,"
                f" {len(used)} operation versions",
                f"never used: {', '.join(unused) or 'none'}",
                f"{same} agree, {explained} are explained:",
                *(f"  {count:6} {reason}" for reason, count in reasons.most_common()),
                f"{len(self._outcomes) - same - explained} have findings:",
                *(f"  {count:6} {check}" for check, count in findings.most_common()),
            ]
        )
