"""One engine with one model in a process of its own. Commands are lines of JSON on stdin, answers lines on stdout.

``{"run": seconds}`` runs for that long and answers with the milliseconds of each run; ``{"outputs": path}`` writes the
outputs; ``{"memory": true}`` answers with the peak resident memory in MiB.
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
from engines import ENGINES, Engine, Inputs
from threadpoolctl import threadpool_info


def main() -> None:
    name, stem, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    with np.load(f"{stem}.npz") as archive:
        inputs = {key: archive[key] for key in archive.files}
    idle = peak_mib()
    engine = ENGINES[name](stem, threads)
    started = {
        "read_ms": milliseconds(engine.read),
        "compile_ms": milliseconds(engine.compile),
        "first_ms": milliseconds(lambda: engine.run(inputs)),
        "prepare_ms": milliseconds(getattr(engine, "prepare", lambda: None)),
        "idle_mib": idle,
        "blas": [pool for pool in threadpool_info() if pool["user_api"] == "blas"],
    }
    answers.write(json.dumps(started) + "\n")
    for line in sys.stdin:
        answers.write(json.dumps(obey(json.loads(line), engine, inputs)) + "\n")


def obey(command: dict[str, Any], engine: Engine, inputs: Inputs) -> Any:
    if "run" in command:
        return turn(engine, inputs, command["run"])
    if "outputs" in command:
        np.savez(command["outputs"], *engine.run(inputs))
        return None
    return {"peak_mib": peak_mib()}


def turn(engine: Engine, inputs: Inputs, seconds: float) -> list[float]:
    """The first run warms the caches and counts only where it alone takes the whole turn."""
    ends = time.perf_counter() + seconds
    times = [milliseconds(lambda: engine.run(inputs))]
    if time.perf_counter() >= ends:
        return times
    times.clear()
    while not times or time.perf_counter() < ends:
        times.append(milliseconds(lambda: engine.run(inputs)))
    return times


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
