"""The time of runs: engines in turns, medians, and the BLAS that computes."""

from __future__ import annotations

import itertools
import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypedDict, TypeVar

from threadpoolctl import threadpool_info

from irrun.jobs.progress import working
from irrun.kernels.threads import threads

TURN: Final = 0.2
"""Seconds for which one engine runs before the next one takes its turn."""

_Result = TypeVar("_Result")


class BlasRecord(TypedDict):
    """The BLAS of a process; ``unknown`` is what it does not tell."""

    name: str
    version: str
    architecture: str
    threads: int


def blas_in_use() -> BlasRecord:
    """Describe the BLAS of this process, whose threads an inference sets."""
    found = [item for item in threadpool_info() if item["user_api"] == "blas"]
    first = found[0] if found else {}
    return {
        "name": first.get("internal_api", "unknown"),
        "version": first.get("version") or "",
        "architecture": first.get("architecture") or "unknown",
        "threads": first.get("num_threads") or threads(),
    }


def in_turns(
    runs: Mapping[str, Callable[[], object]], niter: int | None, seconds: float = 0.0, turn: float = TURN
) -> dict[str, list[float]]:
    """Return the milliseconds of each run by engine: ``niter`` runs, or as many as ``seconds`` allow, at least one.

    Engines take turns of ``turn`` seconds, so that a disturbance of the machine affects all of them; 0 stands for one
    run. With several engines, the first run of a longer turn only warms the caches and does not count.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    waiting = list(runs)
    with working("timing", None if niter is None else niter * len(runs), unit="runs") as add:
        while waiting:
            for name in list(waiting):
                if len(runs) > 1 and turn:
                    runs[name]()
                before = len(times[name])
                _turn(runs[name], times[name], niter, turn if niter is not None else min(turn, seconds))
                add(len(times[name]) - before)
                enough = len(times[name]) >= niter if niter is not None else sum(times[name]) >= 1000 * seconds
                if enough:
                    waiting.remove(name)
    return times


def _turn(run: Callable[[], object], times: list[float], niter: int | None, seconds: float) -> None:
    left = niter - len(times) if niter is not None else -1
    ends = time.perf_counter() + seconds
    while left != 0:
        began = time.perf_counter()
        run()
        now = time.perf_counter()
        times.append(1000 * (now - began))
        left -= 1
        if now >= ends:
            return


def at_once(runs: Sequence[Callable[[], object]], niter: int | None, seconds: float) -> tuple[list[float], float]:
    """Return the milliseconds of each run, and the seconds that all of them took, each function in its own thread.

    Threads run until there are ``niter`` runs in all, or until ``seconds`` have passed, each at least once.
    """
    times: list[float] = []
    started, over = itertools.count(1), threading.Event()
    ends = time.perf_counter() + seconds

    def work(run: Callable[[], object]) -> None:
        while not over.is_set() and (niter is None or next(started) <= niter):
            began = time.perf_counter()
            run()
            now = time.perf_counter()
            times.append(1000 * (now - began))
            if niter is None and now >= ends:
                return

    with working("timing", niter, unit="runs") as add, ThreadPoolExecutor(len(runs)) as pool:
        began = time.perf_counter()
        try:
            for done in [pool.submit(work, run) for run in runs]:
                done.result()
        finally:
            over.set()
        took = time.perf_counter() - began
        add(len(times))
    return times, took


def latency(times: Sequence[float]) -> dict[str, float]:
    """Return median, average, minimum, maximum and 90th percentile in milliseconds, and inferences per second."""
    ordered = sorted(times)
    return {
        "median": statistics.median(ordered),
        "average": statistics.fmean(ordered),
        "min": ordered[0],
        "max": ordered[-1],
        "p90": ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))],
        "throughput": 1000 * len(ordered) / sum(ordered),
    }


def milliseconds(function: Callable[[], _Result]) -> tuple[_Result, float]:
    """Call a function; return its result and its duration in milliseconds."""
    began = time.perf_counter()
    returned = function()
    return returned, 1000 * (time.perf_counter() - began)
