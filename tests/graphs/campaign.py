"""Many graphs, one after the other: what is the same, what a known departure explains, what is left and shrunk."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from irrun.runtime.state import State
from irrun.tensor import Array, ElementType
from tests.graphs.departures import departure, refusal
from tests.graphs.engines import OpenVINO
from tests.graphs.evaluate import Evaluator, Use
from tests.graphs.generate import generate
from tests.graphs.graph import Graph, Layer, explain
from tests.graphs.judge import OPENVINO, Finding, Judge
from tests.graphs.shrink import cut, shrink


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
    """Examine the graphs of all seeds, in processes that each have an OpenVINO of their own."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (folder,)) as pool:
        waiting = [pool.submit(_examined, seed) for seed in seeds]
        for future in as_completed(waiting):
            yield future.result()


def _begin(folder: Path) -> None:
    """Set up a process of the pool."""
    global _judge, _kept
    _judge, _kept = Judge(folder / f"process-{os.getpid()}", OpenVINO()), folder / "findings"


def _examined(seed: int) -> Outcome:
    """The outcome of a seed; an exception is a finding too."""
    try:
        return examine(seed, _judge, _kept)
    except Exception:  # whatever goes wrong in irrun or here belongs into the report
        return Outcome(seed, findings=[f"raised: {traceback.format_exc(limit=-4)}"])


_judge: Judge
_kept: Path


def examine(seed: int, judge: Judge, kept: Path | None = None) -> Outcome:
    """Grow the graph of a seed and judge it. What is wrong is shrunk into a folder below ``kept``."""
    graph = generate(seed)
    used = [f"{layer.op.type}-{layer.op.opset}" for layer in graph.layers]
    outcome = Outcome(seed, len(used), sorted(set(used)))
    findings = judge(graph)
    if any(finding.check.startswith(OPENVINO) for finding in findings):
        graph, findings = _explained(graph, findings, judge, outcome)
    for number, finding in enumerate(findings):
        outcome.findings.append(str(finding))
        if kept is not None:
            keep(graph, finding, judge, kept / f"{seed}-{number}")
    return outcome


def _explained(
    graph: Graph, findings: Sequence[Finding], judge: Judge, outcome: Outcome
) -> tuple[Graph, Sequence[Finding]]:
    """The graph without the layers that depart, and what is wrong with it even so."""
    departing = departures_in(graph)
    if departing:
        graph = cut(graph, departing)
        findings = judge(graph)
        outcome.explained += sorted(set(departing.values()))
    left = []
    for finding in findings:
        reason = refusal(finding.text) if finding.check == f"{OPENVINO}: refused" else None
        if reason is None:
            left.append(finding)
        else:
            outcome.explained.append(reason)
    return graph, left


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
        return any(finding.is_like(other) for other in judge(candidate, finding.check))

    small = shrink(graph, fails)
    folder.mkdir(parents=True, exist_ok=True)
    Judge(folder).write(small)
    (folder / "graph.txt").write_text(f"{finding}\n\n{explain(small)}\n", encoding="utf-8")
    return small
