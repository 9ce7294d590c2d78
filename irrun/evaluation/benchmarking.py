"""The latency, throughput and start-up of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irrun.evaluation.differences import largest
from irrun.evaluation.native import OpenVINOEngine, OpenVINOModel
from irrun.evaluation.timing import blas_in_use, in_turns, latency, milliseconds
from irrun.model import Loaded, Outputs, build
from irrun.runtime.tiers import backend
from irrun.tensor import Array

PRECISION = "INFERENCE_PRECISION_HINT"


def benchmark(
    model: Loaded,
    inputs: Mapping[int, Array],
    config: Mapping[str, Any] | None = None,
    *,
    precisions: Sequence[str] = (),
    openvino: OpenVINOModel | None = None,
    niter: int | None = None,
    seconds: float = 3.0,
) -> dict[str, Any]:
    """Measure a model on inputs by place: ``niter`` inferences, or as many as ``seconds`` allow.

    ``config`` holds the settings of ``compile_model``. The model is measured in its precision and in each of
    ``precisions``, and the file ``openvino`` in OpenVINO; all engines take turns in this process.

    Return a record that is ready for JSON: ``blas``, the tier and the steps of the runs, ``precision``, ``backend``,
    and ``engines`` by name. An engine has ``compile_ms`` and ``first_ms``, the number of ``iterations``, ``median``,
    ``average``, ``min``, ``max`` and ``p90`` in milliseconds, and its ``throughput`` in inferences per second. With
    OpenVINO, ``ratio`` is the quotient of both medians, and ``largest_difference`` that of the outputs. InputError for
    inputs that do not fit, RequestError where OpenVINO cannot run.

    >>> found = benchmark(load("model.xml"), {0: image}, niter=100)
    >>> found["engines"]["irrun"]["median"]
    """
    settings = dict(config or {})
    own = _Engine(model, inputs, settings)
    tiers, precision = own.compiled.tiers, own.compiled.config.optimize.precision.name
    blas = blas_in_use()
    runs: dict[str, Callable[[], object]] = {"irrun": own.run}
    engines: dict[str, dict[str, Any]] = {"irrun": own.times}
    for name in dict.fromkeys(precisions):
        other = _Engine(model, inputs, {**settings, PRECISION: name})
        runs[f"irrun {name}"], engines[f"irrun {name}"] = other.run, other.times
    record: dict[str, Any] = {"blas": blas}
    agreement: dict[str, Any] = {}
    if openvino is not None:
        engine = OpenVINOEngine(openvino, inputs, blas["threads"], precision)
        engines["openvino"] = {key: getattr(engine, key) for key in ("version", "read_ms", "compile_ms", "first_ms")}
        runs["openvino"] = engine.run
        difference = largest(own.outputs, engine.outputs)
        agreement = dict(zip(("largest_difference", "relative_difference"), difference, strict=True))
    for name, times in in_turns(runs, niter, seconds).items():
        engines[name] |= {"iterations": len(times), **latency(times)}
    record |= tiers.as_dict()
    record |= {"precision": precision, "backend": backend(precision, tiers.last), "engines": engines}
    if openvino is not None:
        record |= {"ratio": engines["irrun"]["median"] / engines["openvino"]["median"], **agreement}
    return record


class _Engine:
    """A model compiled with some settings, its first outputs, and the times of its start-up."""

    def __init__(self, model: Loaded, inputs: Mapping[int, Array], settings: Mapping[str, Any]) -> None:
        self.compiled, compile_ms = milliseconds(lambda: build(model, settings))
        session = self.compiled.session()
        self.run: Callable[[], Outputs] = lambda: session.run(inputs)
        outputs, first_ms = milliseconds(self.run)
        self.outputs = outputs.to_tuple()
        self.times = {"compile_ms": compile_ms, "first_ms": first_ms}
