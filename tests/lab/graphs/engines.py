"""The engines that run a written graph: irrun in several forms, and OpenVINO in a process of its own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import irrun.model
from irrun.tensor import Array, ElementType
from tests.lab.graphs.graph import Graph, Input

WORKER: Final = Path(__file__).with_name("worker.py")
TIMEOUT: Final = 60
"""Seconds after which OpenVINO is taken to hang."""
HASTE: Final = 4
"""The same where very many models are tried."""
LIFETIME: Final = 300
"""Graphs that one process runs: some layers corrupt its memory."""


class Answer(NamedTuple):
    """The answer of OpenVINO: the results of each inference, or the reason why there are none."""

    results: list[list[Array]]
    shapes: list[str]
    types: list[str]
    refused: str = ""
    crashed: bool = False


def save_inputs(graph: Graph, folder: Path) -> None:
    arrays = {}
    for number, index in enumerate(graph.inputs):
        node = graph.nodes[index]
        assert isinstance(node, Input)
        assert node.value is not None
        arrays[f"input_{number}"] = external(node.fact.type, node.value)
    np.savez(folder / "inputs.npz", **arrays)


def external(type: ElementType, array: Array) -> Array:
    """An array as it crosses the Python API; strings in a type that NumPy saves."""
    if type.kind == "string":
        return np.array(array.tolist(), dtype=str).reshape(array.shape)
    return array.astype(type.external)


def run_irrun(path: Path, graph: Graph, runs: int, *, optimize: bool) -> list[list[Array]]:
    """The results of each inference."""
    compiled = irrun.model.build(irrun.model.load(path), {"OPTIMIZE": optimize})
    request = compiled.session()
    feeds = [external(node.fact.type, node.value) for node in graph.nodes if isinstance(node, Input)]
    found = []
    for _ in range(runs):
        before = [array.copy() for array in feeds]
        found.append(list(request.run(feeds).to_tuple()))
        for array, copy in zip(feeds, before, strict=True):
            assert array.tobytes() == copy.tobytes(), "an input was written to"
    return found


class OpenVINO:
    """A process that runs models, and another one when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._served = 0

    def run(self, folder: Path, runs: int, *, alone: bool = False, timeout: float = TIMEOUT) -> Answer:
        """Run ``model.xml`` of a folder; ``alone`` in a process that has run nothing before."""
        if alone or self._served >= LIFETIME:
            self.close()
        answer = self._ask({"folder": str(folder), "runs": runs}, timeout)
        if answer is None:
            return Answer([], [], [], crashed=True)
        if "refused" in answer:
            return Answer([], [], [], refused=answer["refused"])
        with np.load(folder / "outputs.npz") as data:
            count = len(answer["types"])
            results = [[data[f"{number}_{index}"] for index in range(count)] for number in range(runs)]
        return Answer(results, answer["shapes"], answer["types"])

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any] | None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, str(WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            self._served = 0
        self._served += 1
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], timeout)
            line = process.stdout.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            return None
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None

    def __enter__(self) -> OpenVINO:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
