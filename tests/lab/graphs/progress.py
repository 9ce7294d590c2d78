"""Outcomes of the graphs so far: a line of JSON for each, and a summary."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.lab.graphs.campaign import Outcome
from tests.lab.graphs.generate import operations
from tests.lab.graphs.judge import OPENVINO


class Progress:
    """The outcomes in ``progress.jsonl`` of a folder, the last one of each seed, those of earlier runs included."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "progress.jsonl"
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        self._outcomes = {(outcome := Outcome(**json.loads(line))).seed: outcome for line in lines}

    @property
    def done(self) -> set[int]:
        """The seeds that have been run."""
        return set(self._outcomes)

    @property
    def unexplained(self) -> list[int]:
        """The seeds with findings."""
        return sorted(seed for seed, outcome in self._outcomes.items() if outcome.findings)

    def add(self, outcome: Outcome) -> None:
        self._outcomes[outcome.seed] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")

    def save_summary(self) -> None:
        """Write the summary into the folder."""
        self._path.with_name("summary.txt").write_text(f"{self.summary()}\n", encoding="utf-8")

    def summary(self) -> str:
        """Counts: graphs, operations, what explains differences, what nothing explains."""
        outcomes = self._outcomes.values()
        used = Counter(name for outcome in outcomes for name in outcome.operations)
        reasons = Counter(reason for outcome in outcomes for reason in outcome.explained)
        findings = Counter(_check(text) for outcome in outcomes for text in outcome.findings)
        same = sum(not outcome.findings and not outcome.explained for outcome in outcomes)
        explained = sum(not outcome.findings and bool(outcome.explained) for outcome in outcomes)
        unused = sorted(set(operations()) - set(used))
        return "\n".join(
            [
                f"{len(outcomes)} graphs, {sum(outcome.layers for outcome in outcomes)} layers,"
                f" {len(used)} operation versions",
                f"never used: {', '.join(unused) or 'none'}",
                f"{same} agree, {explained} are explained:",
                *(f"  {count:6} {reason}" for reason, count in reasons.most_common()),
                f"{len(outcomes) - same - explained} are unexplained:",
                *(f"  {count:6} {check}" for check, count in findings.most_common()),
            ]
        )


def _check(text: str) -> str:
    """The check that a finding begins with."""
    first, second, *_ = text.split(": ")
    return f"{first}: {second}" if first == OPENVINO else first
