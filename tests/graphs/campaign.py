"""Many graphs, one after the other: what is the same, what a known departure explains, what is left and shrunk."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from irrun.runtime.state import State
from irrun.tensor import Array, ElementType
from tests.graphs.departures import departure
from tests.graphs.edits import cut
from tests.graphs.engines import OpenVINO
from tests.graphs.evaluate import Evaluator, Use
from tests.graphs.generate import generate
from tests.graphs.graph import Graph, Layer, explain
from tests.graphs.judge import FORMS, OPENVINO, Finding, Judge
from tests.graphs.misreadings import misreadings
from tests.graphs.refusals import refusal
from tests.graphs.shrink import shrink

_MISREAD: Final = (f"{OPENVINO}: crash", f"{OPENVINO}: value")

ALIKE: Final = 3
"""Findings of one kind that a process shrinks."""


@dataclass(slots=True)
class Outcome:
    """What became of the graph of one seed."""

    seed: int
    layers: int = 0
    operations: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)
    """Departures and refusals that account for what OpenVINO did."""
    findings: list[str] = field(default_factory=list)
    """What nothing accounts for."""


def run(seeds: Sequence[int], jobs: int, folder: Path) -> Iterator[Outcome]:
    """Examine the graphs of all seeds, in processes that each have an OpenVINO of their own; to raise is a finding."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (folder,)) as pool:
        waiting = {pool.submit(_examined, seed): seed for seed in seeds}
        for future in as_completed(waiting):
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                yield Outcome(waiting[future], findings=[f"raised: {error!r} {error.__cause__ or ''}"])


def _begin(folder: Path) -> None:
    """Set up a process of the pool."""
    global _judge, _kept
    _judge, _kept = Judge(folder / f"process-{os.getpid()}", OpenVINO()), folder / "findings"


def _examined(seed: int) -> Outcome:
    return examine(seed, _judge, _kept)


_judge: Judge
_kept: Path
_seen: Counter[str] = Counter()


def examine(seed: int, judge: Judge, kept: Path | None = None) -> Outcome:
    """Grow the graph of a seed and judge it. What is wrong is shrunk into a folder below ``kept``."""
    graph = generate(seed)
    used = [f"{layer.op.type}-{layer.op.opset}" for layer in graph.layers]
    outcome = Outcome(seed, len(used), sorted(set(used)))
    findings = judge(graph, (FORMS[seed % len(FORMS)], "lint", OPENVINO))
    if any(map(_native, findings)):
        graph, findings = _explained(graph, findings, judge, outcome)
    for number, finding in enumerate(findings):
        outcome.findings.append(str(finding))
        _seen[finding.kind] += 1
        if kept is not None and _seen[finding.kind] <= ALIKE:
            keep(graph, finding, judge, kept / f"{seed}-{number}")
    return outcome


def _explained(
    graph: Graph, findings: Sequence[Finding], judge: Judge, outcome: Outcome
) -> tuple[Graph, Sequence[Finding]]:
    """The graph without the layers that depart, and what is wrong with it even so."""
    departing = departures_in(graph)
    if departing:
        graph = cut(graph, departing)
        findings = [*(item for item in findings if not _native(item)), *judge(graph, [OPENVINO])]
        outcome.explained += sorted(set(departing.values()))
    reasons = [(finding, _refusal(finding, graph)) for finding in findings]
    outcome.explained += [reason for _, reason in reasons if reason is not None]
    findings = [finding for finding, reason in reasons if reason is None]
    return _read(graph, findings, judge, outcome)


def _read(graph: Graph, findings: Sequence[Finding], judge: Judge, outcome: Outcome) -> tuple[Graph, Sequence[Finding]]:
    """The graph without what OpenVINO misreads, where nothing is wrong then; else as it is."""
    wrong = next((finding for finding in findings if finding.check in _MISREAD), None)
    for reason, indices in misreadings(graph, wrong.text) if wrong is not None else ():
        smaller = cut(graph, indices)
        left = [finding for finding in judge(smaller, [OPENVINO]) if _refusal(finding, smaller) is None]
        if not left:
            outcome.explained.append(reason)
            return smaller, [finding for finding in findings if not _native(finding)]
    return graph, findings


def _refusal(finding: Finding, graph: Graph) -> str | None:
    return refusal(finding.text, graph) if finding.check == f"{OPENVINO}: refused" else None


def _is_explained(finding: Finding, graph: Graph) -> bool:
    """Whether a graph has anything that may explain a finding."""
    if not _native(finding):
        return False
    known = departures_in(graph) or _refusal(finding, graph)
    return bool(known) or (finding.check in _MISREAD and any(misreadings(graph, finding.text)))


def _native(finding: Finding) -> bool:
    return finding.family == OPENVINO


def departures_in(graph: Graph) -> dict[int, str]:
    """The layers that OpenVINO treats in a way of its own, and which; a layer stands for those in its bodies."""
    recorder = _Recorder(graph)
    Evaluator(graph).run(graph.feeds, State(), recorder)
    return recorder.found


class _Recorder:
    """Looks for departures in all that is computed."""

    def __init__(self, graph: Graph) -> None:
        self.found: dict[int, str] = {}
        self._outermost = {id(node.op): index for index, node in enumerate(graph.nodes) if isinstance(node, Layer)}
        self._inside: str | None = None

    def leaf(self, type: ElementType, array: Array) -> Array:
        del type
        return array

    def layer(self, use: Use) -> Sequence[Array]:
        known = departure(use)
        reason = f"{use.op.type}: {known.reason}" if known is not None else self._inside
        index = self._outermost.get(id(use.op))
        if index is None:
            self._inside = reason
        elif reason is not None:
            self.found[index] = reason
            self._inside = None
        return use.outputs


def keep(graph: Graph, finding: Finding, judge: Judge, folder: Path) -> Graph:
    """Write the smallest graph with the same finding that is found into a folder: the model, its inputs, and a text."""

    def fails(candidate: Graph) -> bool:
        if _is_explained(finding, candidate):
            return False
        return any(finding.is_like(other) for other in judge(candidate, [finding.family], hasty=True))

    small = shrink(graph, fails)
    folder.mkdir(parents=True, exist_ok=True)
    own = Judge(folder, judge.openvino)
    left = "\n".join(str(other) for other in own(small, [finding.family]))
    (folder / "graph.txt").write_text(f"{finding}\n\nShrunk:\n{left}\n\n{explain(small)}\n", encoding="utf-8")
    return small
