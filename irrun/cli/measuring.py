"""Helpers for commands that measure: threads, taking turns, medians, and OpenVINO for comparison."""

from __future__ import annotations

import importlib
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from threadpoolctl import threadpool_info

from irrun.cli.console import warn
from irrun.cli.failures import Failure
from irrun.cli.inputs import Value
from irrun.kernels.threads import threads
from irrun.model import Port
from irrun.tensor import Array, Shape

TURN: Final = 0.2
"""Seconds for which one engine runs before the next one takes its turn."""

CORE_TYPE: Final = "OPENBLAS_CORETYPE"


def blas_in_use() -> dict[str, Any]:
    """Describe the BLAS of this process, whose threads an inference sets; warn if it is pinned to an architecture."""
    pinned = os.environ.get(CORE_TYPE)
    if pinned:
        warn(f"{CORE_TYPE}={pinned} pins BLAS to an architecture, which can halve its speed; unset it to measure")
    found = [item for item in threadpool_info() if item["user_api"] == "blas"]
    first = found[0] if found else {}
    return {
        "name": first.get("internal_api", "unknown"),
        "version": first.get("version") or "",
        "architecture": first.get("architecture") or "unknown",
        "threads": first.get("num_threads") or threads(),
    }


def blas_text(blas: Mapping[str, Any]) -> str:
    count = blas["threads"]
    return f"{blas['name']} {blas['version']}, {blas['architecture']}, {count} thread{'s' if count != 1 else ''}"


def in_turns(runs: Mapping[str, Callable[[], object]], niter: int | None, seconds: float) -> dict[str, list[float]]:
    """Return the milliseconds of each run by engine: ``niter`` runs, or as many as ``seconds`` allow, at least one.

    Engines take turns, so that a disturbance of the machine affects all of them. With several engines, the first run of
    a turn only warms the caches and does not count.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    waiting = list(runs)
    while waiting:
        for name in list(waiting):
            if len(runs) > 1:
                runs[name]()
            _turn(runs[name], times[name], niter, seconds)
            enough = len(times[name]) >= niter if niter is not None else sum(times[name]) >= 1000 * seconds
            if enough:
                waiting.remove(name)
    return times


def _turn(run: Callable[[], object], times: list[float], niter: int | None, seconds: float) -> None:
    left = niter - len(times) if niter is not None else -1
    ends = time.perf_counter() + (TURN if niter is not None else min(TURN, seconds))
    while left != 0:
        began = time.perf_counter()
        run()
        now = time.perf_counter()
        times.append(1000 * (now - began))
        left -= 1
        if now >= ends:
            return


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


def milliseconds(function: Callable[[], Any]) -> tuple[Any, float]:
    """Call a function; return its result and its duration in milliseconds."""
    began = time.perf_counter()
    returned = function()
    return returned, 1000 * (time.perf_counter() - began)


def short(milliseconds: float) -> str:
    """Format a time in milliseconds with three significant digits."""
    if milliseconds < 10:
        return f"{milliseconds:.3f}"
    return (
        f"{milliseconds:.2f}"
        if milliseconds < 100
        else f"{milliseconds:.1f}"
        if milliseconds < 1000
        else f"{milliseconds:.0f}"
    )


class Native:
    """A model in OpenVINO's CPU plugin: a precision, one stream, a given number of threads."""

    def __init__(
        self,
        path: Path,
        weights: Path | None,
        shapes: Mapping[Port, Shape],
        given: Sequence[Value],
        threads: int,
        precision: str = "f32",
        profiled: bool = False,
    ) -> None:
        ov = require_native()
        self.version: str = ov.get_version()
        core = ov.Core()
        config = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
            "PERF_COUNT": profiled,
        }
        try:
            model, self.read_ms = milliseconds(lambda: read_native(ov, core, path, weights, shapes))
            compiled, self.compile_ms = milliseconds(lambda: core.compile_model(model, "CPU", config))
            self._request = compiled.create_infer_request()
            self._inputs = {value.port.index: value.array for value in given}
            # OpenVINO always copies strings, and warns if asked to share them.
            self._shares = all(port.element_type != ov.Type.string for port in compiled.outputs)
            self.outputs, self.first_ms = milliseconds(self._first)
        except (RuntimeError, TypeError, ValueError) as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise Failure(f"OpenVINO cannot run {path}: {lines[-1] if lines else 'it does not say why'}") from None

    def run(self) -> object:
        return self._request.infer(self._inputs, share_inputs=True, share_outputs=self._shares)

    def profile(self) -> dict[str, tuple[float, int]]:
        """Return, for each layer type of the last run, its milliseconds and the number of layers."""
        found: dict[str, tuple[float, int]] = {}
        for item in self._request.profiling_info:
            if str(item.status).rpartition(".")[2] == "EXECUTED":
                spent, count = found.get(item.node_type, (0.0, 0))
                found[item.node_type] = spent + 1000 * item.real_time.total_seconds(), count + 1
        return found

    def _first(self) -> list[Array]:
        return [array.copy() for array in self._request.infer(self._inputs).to_tuple()]


def require_native(option: str = "--compare-openvino") -> Any:
    """Return the package openvino; Failure where it is not installed."""
    try:
        return importlib.import_module("openvino")
    except ImportError:
        what = f"{option} needs the package openvino, which is not installed here; pip install openvino"
        raise Failure(what) from None


def read_native(ov: Any, core: Any, path: Path, weights: Path | None, shapes: Mapping[Port, Shape]) -> Any:
    model = core.read_model(path) if weights is None else core.read_model(path, weights)
    if shapes:
        model.reshape({port.index: ov.PartialShape(str(shape)) for port, shape in shapes.items()})
    return model
