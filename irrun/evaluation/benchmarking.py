"""The latency, throughput and start-up of a model."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from irrun.evaluation.differences import largest
from irrun.evaluation.native import OpenVINOEngine, OpenVINOModel
from irrun.evaluation.timing import BlasRecord, at_once, blas_in_use, in_turns, latency, milliseconds
from irrun.kernels.threads import threads, worthwhile
from irrun.model import Loaded, Outputs, Session, build
from irrun.model.config import streams
from irrun.runtime.executor import ExecutionRecord
from irrun.runtime.tiers import backend
from irrun.tensor import Array

PRECISION = "INFERENCE_PRECISION_HINT"


class EngineRecord(TypedDict):
    """The start-up and the latencies of an engine in milliseconds, and its inferences per second."""

    version: NotRequired[str]
    read_ms: NotRequired[float]
    compile_ms: float
    first_ms: float
    iterations: int
    median: float
    average: float
    min: float
    max: float
    p90: float
    throughput: float


class BenchmarkRecord(ExecutionRecord):
    """The figures of `benchmark`: an engine is irrun, irrun in another precision, or openvino."""

    blas: BlasRecord
    requests: int
    crowded: bool
    precision: str
    backend: str
    engines: dict[str, EngineRecord]
    ratio: NotRequired[float]
    largest_difference: NotRequired[float | None]
    relative_difference: NotRequired[float | None]


def benchmark(
    model: Loaded,
    inputs: Mapping[int, Array] | Sequence[Mapping[int, Array]],
    config: Mapping[str, Any] | None = None,
    *,
    precisions: Sequence[str] = (),
    openvino: OpenVINOModel | None = None,
    requests: int | None = None,
    niter: int | None = None,
    seconds: float = 3.0,
) -> dict[str, Any]:
    """Measure a model on inputs by place: ``niter`` inferences, or as many as ``seconds`` allow.

    Several inputs are run in turns. ``config`` holds the settings of ``compile_model``. The model is measured in its
    precision and in each of ``precisions``, and the file ``openvino`` in OpenVINO; all engines take turns in this
    process. ``requests`` run at the same time, each in a thread: by default those of ``NUM_STREAMS`` and
    ``PERFORMANCE_HINT``, which is one unless they say otherwise. With several, engines run one after the other.
    OpenVINO is measured with one request and one set of inputs: ValueError.

    Return a record that is ready for JSON: ``blas``, the tier and the steps of the runs, ``precision``, ``backend``,
    and ``engines`` by name. An engine has ``compile_ms`` and ``first_ms``, the number of ``iterations``, ``median``,
    ``average``, ``min``, ``max`` and ``p90`` in milliseconds, and its ``throughput`` in inferences per second, by the
    clock. ``requests`` is their number, and ``crowded`` whether other programs want the processors, so that fewer
    threads compute. With OpenVINO, ``ratio`` is the quotient of both medians, and ``largest_difference`` that of the
    outputs. InputError for inputs that do not fit, RequestError where OpenVINO cannot run.

    >>> found = benchmark(load("model.xml"), {0: image}, niter=100)
    >>> found["engines"]["irrun"]["median"]
    """
    settings = dict(config or {})
    count = requests or max(1, streams(settings))
    several = [inputs] if isinstance(inputs, Mapping) else inputs
    if (count > 1 or len(several) > 1) and openvino is not None:
        raise ValueError("OpenVINO is measured with one request and one set of inputs")
    own = _Engine(model, several, settings, count)
    executor, precision = own.compiled.executor, own.compiled.config.optimize.precision.name
    blas = blas_in_use()
    owns = {"irrun": own}
    for name in dict.fromkeys(precisions):
        owns[f"irrun {name}"] = _Engine(model, several, {**settings, PRECISION: name}, count)
    runs: dict[str, Callable[[], object]] = {name: engine.runs[0] for name, engine in owns.items()}
    engines: dict[str, dict[str, Any]] = {name: engine.times for name, engine in owns.items()}
    record: dict[str, Any] = {"blas": blas}
    agreement: dict[str, Any] = {}
    if openvino is not None:
        engine = OpenVINOEngine(openvino, several[0], blas["threads"], precision)
        engines["openvino"] = {key: getattr(engine, key) for key in ("version", "read_ms", "compile_ms", "first_ms")}
        runs["openvino"] = engine.run
        difference = largest(own.outputs, engine.outputs)
        agreement = dict(zip(("largest_difference", "relative_difference"), difference, strict=True))
    if count > 1:
        for name, requested in owns.items():
            times, took = at_once(requested.runs, niter, seconds)
            engines[name] |= {"iterations": len(times), **latency(times), "throughput": len(times) / took}
    else:
        for name, times in in_turns(runs, niter, seconds).items():
            engines[name] |= {"iterations": len(times), **latency(times)}
    record |= executor.account
    record |= {"requests": count, "crowded": worthwhile() < threads()}
    record |= {"precision": precision, "backend": backend(precision, executor.last), "engines": engines}
    if openvino is not None:
        record |= {"ratio": engines["irrun"]["median"] / engines["openvino"]["median"], **agreement}
    return record


class _Engine:
    """A model compiled with some settings, its requests, its first outputs, and the times of its start-up."""

    def __init__(
        self, model: Loaded, inputs: Sequence[Mapping[int, Array]], settings: Mapping[str, Any], count: int
    ) -> None:
        self.compiled, compile_ms = milliseconds(lambda: build(model, settings))
        sessions = [self.compiled.session() for _ in range(count)]
        self.runs = [_in_turns(session, _from(inputs, at)) for at, session in enumerate(sessions)]
        outputs, first_ms = milliseconds(self.runs[0])
        for run in self.runs[1:]:
            run()
        self.outputs = outputs.to_tuple()
        self.times = {"compile_ms": compile_ms, "first_ms": first_ms}


def _from(inputs: Sequence[Mapping[int, Array]], place: int) -> list[Mapping[int, Array]]:
    """Return inputs in turns, from a place on."""
    start = place % len(inputs)
    return [*inputs[start:], *inputs[:start]]


def _in_turns(session: Session, inputs: Sequence[Mapping[int, Array]]) -> Callable[[], Outputs]:
    """Return a function that runs a session on the next of some inputs."""
    turns = itertools.cycle(inputs)
    return lambda: session.run(next(turns))
