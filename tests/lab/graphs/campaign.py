"""Many graphs, one after the other: what is the same, what a known departure explains, what is left and shrunk."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from irrun.runtime.state import State
from irrun.tensor import Array, ElementType
from tests.lab.graphs.apart import apart, atoms, broken, composed, types
from tests.lab.graphs.departures import departure
from tests.lab.graphs.edits import cut
from tests.lab.graphs.engines import OpenVINO
from tests.lab.graphs.evaluate import Evaluator, Use
from tests.lab.graphs.generate import generate
from tests.lab.graphs.graph import Graph, Layer, explain
from tests.lab.graphs.judge import FORMS, OPENVINO, Finding, Judge
from tests.lab.graphs.refusals import Refusal, refusal
from tests.lab.graphs.shrink import shrink

ALIKE: Final = 3
"""Findings of one kind that a process shrinks."""


@dataclass(slots=True)
class Outcome:
    """The outcome of the graph of one seed."""

    seed: int
    layers: int = 0
    operations: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)
    """Departures and refusals that account for what OpenVINO did."""
    findings: list[str] = field(default_factory=list)
    """Findings without a known reason."""


def run(seeds: Iterable[int], jobs: int, folder: Path) -> Iterator[Outcome]:
    """Examine the graphs of all seeds, in processes that each have an OpenVINO of their own; to raise is a finding."""
    left = iter(seeds)
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (folder,)) as pool:
        waiting = {pool.submit(_examined, seed): seed for seed in islice(left, 2 * jobs)}
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                seed, error = waiting.pop(future), future.exception()
                waiting |= {pool.submit(_examined, other): other for other in islice(left, 1)}
                if error is None:
                    yield future.result()
                else:
                    yield Outcome(seed, findings=[f"raised: {error!r} {error.__cause__ or ''}"])


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
    found = [(graph, finding) for finding in findings if not _native(finding)]
    if len(found) < len(findings):
        smaller, left = _explained(graph, findings, judge, outcome)
        found += [(smaller, finding) for finding in left]
    for number, (graph, finding) in enumerate(found):
        outcome.findings.append(str(finding))
        _seen[finding.kind] += 1
        if kept is not None and _seen[finding.kind] <= ALIKE:
            keep(graph, finding, judge, kept / f"{seed}-{number}")
    return outcome


def _explained(
    graph: Graph, findings: Sequence[Finding], judge: Judge, outcome: Outcome
) -> tuple[Graph, Sequence[Finding]]:
    """The graph without the layers that depart, then layer by layer, and what OpenVINO does even so."""
    departing = departures_in(graph)
    if departing:
        graph = cut(graph, departing)
        outcome.explained = sorted(set(departing.values()))
        findings = judge(graph, [OPENVINO])
    wrong = next(filter(_native, findings), None)
    if wrong is None:
        return graph, []
    smaller, reasons, left = _refused(apart(graph), judge)
    where = composed(graph) if left else set()
    if where:
        smaller, reasons, left = _refused(atoms(graph), judge)
    if not left and not reasons:
        place = types(graph, where) or broken(graph, lambda other: not judge(other, [OPENVINO], hasty=True))
        kind = wrong.check.removeprefix(f"{OPENVINO}: ")
        reasons = {f"{place}: {kind}, but not of the layers one by one"}
    outcome.explained += sorted(reasons)
    return smaller, left


def _refused(graph: Graph, judge: Judge) -> tuple[Graph, set[str], Sequence[Finding]]:
    """The graph without the layers that OpenVINO is known to refuse, the reasons, and what is wrong even so."""
    reasons: set[str] = set()
    while True:
        findings = judge(graph, [OPENVINO])
        known = next(filter(None, (_refusal(finding, graph) for finding in findings)), None)
        if known is None:
            return graph, reasons, findings
        reasons.add(str(known))
        graph = cut(graph, known.layers(graph))


def _refusal(finding: Finding, graph: Graph) -> Refusal | None:
    return refusal(finding.text, graph) if finding.check == f"{OPENVINO}: refused" else None


def _is_explained(finding: Finding, graph: Graph) -> bool:
    """Return whether a graph has a layer that may explain a finding."""
    if not _native(finding):
        return False
    return bool(departures_in(graph) or _refusal(finding, graph))


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
