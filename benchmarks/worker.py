"""Run an engine with a model in a separate process: ``worker.py ENGINE STEM WORKLOAD THREADS``.

It answers at once with what reading, compiling and the first inference took, in milliseconds. Then commands are lines
of JSON on stdin, answers lines on stdout. ``{"warm": true}`` runs the workload once; ``{"run": seconds}`` runs it for
that long and answers with the milliseconds of each timed inference; ``{"outputs": path}`` writes the outputs of the
last inference of the workload; ``{"memory": true}`` answers with the peak resident memory in MiB.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from engines import ENGINES, Engine
from threadpoolctl import threadpool_info
from workload import Workload


def main() -> None:
    name, stem, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[4])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    workload = Workload.load(Path(sys.argv[3]))
    idle = peak_mib()
    engine = ENGINES[name](stem, threads)
    started = {
        "read_ms": milliseconds(engine.read),
        "compile_ms": milliseconds(engine.compile),
        "first_ms": milliseconds(lambda: engine.run(workload.steps[0])),
        "idle_mib": idle,
        "blas": [pool for pool in threadpool_info() if pool["user_api"] == "blas"],
    }
    answers.write(json.dumps(started) + "\n")
    for line in sys.stdin:
        answers.write(json.dumps(obey(json.loads(line), engine, workload)) + "\n")


def obey(command: dict[str, Any], engine: Engine, workload: Workload) -> Any:
    if "warm" in command:
        timed(engine, workload)
        return None
    if "run" in command:
        return turn(engine, workload, command["run"])
    if "outputs" in command:
        engine.reset()
        outputs = [engine.run(step) for step in workload.steps][-1]
        np.savez(command["outputs"], *outputs)
        return None
    return {"peak_mib": peak_mib()}


def turn(engine: Engine, workload: Workload, seconds: float) -> list[float]:
    """The first inference warms the caches and counts only where it alone takes the whole turn."""
    ends = time.perf_counter() + seconds
    times = timed(engine, workload)
    if time.perf_counter() >= ends:
        return times
    times.clear()
    while not times or time.perf_counter() < ends:
        times += timed(engine, workload)
    return times


def timed(engine: Engine, workload: Workload) -> list[float]:
    """The milliseconds of each inference of the workload but those that only prepare it."""
    engine.reset()
    for step in workload.steps[: workload.untimed]:
        engine.run(step)
    return [milliseconds(lambda step=step: engine.run(step)) for step in workload.steps[workload.untimed :]]


def milliseconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


def peak_mib() -> float:
    """The high-water mark of this program, which unlike ``ru_maxrss`` forgets the process that began it."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    if found is not None:
        return int(found[1]) / 1024
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
