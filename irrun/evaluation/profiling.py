"""The time of a model by layer and by operation type."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from irrun.diagnostics.notebook import html_table
from irrun.evaluation.native import OpenVINOEngine, OpenVINOModel
from irrun.evaluation.timing import BlasRecord, blas_in_use, in_turns, milliseconds
from irrun.jobs.progress import told
from irrun.model import Loaded, build
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops._declared.fused.fused_products import (
    FusedConvolution,
    FusedIntegerProduct,
    FusedMatMul,
    FusedTransposedConvolution,
)
from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
from irrun.ops.work import Sizes
from irrun.runtime.executor import ExecutionRecord
from irrun.runtime.observers import Profiler, Shapes, Timing, Tracer
from irrun.tensor import Array

_WEIGHTED = (FusedConvolution, FusedIntegerProduct, FusedMatMul, FusedPackedMatMul, FusedTransposedConvolution)


class LayerTime(TypedDict):
    """A layer, per run; ``stands_for`` are the layers that are fused with it."""

    id: int
    name: str
    type: str
    stands_for: list[str]
    calls: float
    ms: float
    share: float
    flops: float | None
    gflops_per_s: float | None
    bytes: int
    inputs: Shapes
    outputs: Shapes


class ShareRecord(TypedDict):
    """The layers of a type, and their share of the time of all."""

    type: str
    layers: int
    ms: float
    share: float


class TypeTime(ShareRecord):
    flops: float | None
    gflops_per_s: float | None
    bytes: int


class NativeProfile(TypedDict):
    """The profile of OpenVINO, by its own types of layers."""

    version: str
    total_ms: float
    layers_ms: float
    types: list[ShareRecord]


class ProfileRecord(ExecutionRecord):
    """The figures of `profile`, in milliseconds."""

    blas: BlasRecord
    total_ms: float
    observed_ms: float
    layers_ms: float
    between_ms: float
    types: list[TypeTime]
    layers: list[LayerTime]
    openvino: NotRequired[NativeProfile]


class Profile(dict[str, Any]):
    """The record of a profile, which a notebook shows as a table of its slowest layers."""

    def _repr_html_(self) -> str:
        layers = sorted(self["layers"], key=lambda layer: -layer["ms"])
        rows = [(layer["name"], layer["type"], layer["ms"], f"{layer['share']:.1%}") for layer in layers]
        return html_table(f"{self['total_ms']:.4g} ms", ("layer", "type", "ms", "share"), rows)


def profile(
    model: Loaded,
    inputs: Mapping[int, Array],
    config: Mapping[str, Any] | None = None,
    *,
    niter: int = 10,
    openvino: OpenVINOModel | None = None,
    tracer: Tracer | None = None,
) -> Profile:
    """Measure each layer of a model on inputs by place: observed runs alternate with plain ones, ``niter`` of each.

    ``config`` holds the settings of ``compile_model``; ``tracer`` sees one more run.

    Return a record that is ready for JSON: ``blas``, the tier and the steps of the runs, ``total_ms`` of a plain run,
    ``observed_ms`` of a run that is measured layer by layer, the sum of ``layers_ms`` inside layers and ``between_ms``
    outside, ``types`` with the slowest first, and ``layers`` in the order of execution, a fused one by the name of its
    last. Both have ``ms`` per run, the ``share`` of all layers, ``flops`` (a multiply-add counts as two;
    None where it is not counted), ``gflops_per_s`` and ``bytes``. With the file ``openvino``, OpenVINO's own profile is
    there under that name. InputError for inputs that do not fit, RequestError where OpenVINO cannot run.

    >>> found = profile(load("model.xml"), {0: image})
    >>> max(found["layers"], key=lambda layer: layer["ms"])["name"]
    """
    compiled = build(model, config)
    precision = compiled.config.optimize.precision.name
    plain, observed = compiled.session(), compiled.session()
    plain.run(inputs)
    observed.run(inputs)
    profiler = Profiler()
    observed.observers.append(profiler)
    inside = [0]

    def observe() -> None:
        observed.run(inputs)
        inside.append(profiler.total)

    times = in_turns({"plain": lambda: plain.run(inputs), "observed": observe}, niter, turn=0)
    if tracer is not None:
        observed.observers[:] = [tracer]
        observed.run(inputs)
    steps = zip(times["observed"], inside[1:], inside, strict=False)
    layers = [_layer(timing, niter) for timing in profiler.timings]
    total = sum(layer["ms"] for layer in layers)
    for layer in layers:
        layer["share"] = layer["ms"] / total if total else 0.0
    between = statistics.median(took - (after - before) / 1e6 for took, after, before in steps)
    record = Profile(
        blas=blas_in_use(),
        **compiled.executor.account,
        total_ms=statistics.median(times["plain"]),
        observed_ms=total + between,
        layers_ms=total,
        between_ms=between,
        types=_by_type(layers),
        layers=layers,
    )
    if openvino is not None:
        engine = OpenVINOEngine(openvino, inputs, record["blas"]["threads"], precision, profiled=True)
        record["openvino"] = _native(engine, niter)
    return record


def _layer(timing: Timing, niter: int) -> LayerTime:
    """Return the record of one layer, per run: a layer in a sub-graph may run several times, or not in every run."""
    node = timing.step.node
    calls = len(timing.own) / niter
    took = timing.median * calls / 1e6
    count = _flops(timing)
    total = None if count is None else count * calls
    return {
        "id": node.id,
        "name": timing.step.name,
        "type": node.type,
        "stands_for": list(timing.step.layers),
        "calls": int(calls) if calls.is_integer() else calls,
        "ms": took,
        "flops": total,
        "gflops_per_s": _rate(total, took),
        "bytes": int(_moved(timing) * calls),
        "inputs": timing.inputs,
        "outputs": timing.outputs,
        "share": 0.0,
    }


def _by_type(layers: Sequence[LayerTime]) -> list[TypeTime]:
    groups: dict[str, list[LayerTime]] = {}
    for layer in layers:
        groups.setdefault(layer["type"], []).append(layer)
    rows: list[TypeTime] = []
    for type, members in groups.items():
        took = sum(member["ms"] for member in members)
        counted = [member["flops"] for member in members if member["flops"] is not None]
        total = sum(counted) if counted else None
        rows.append(
            {
                "type": type,
                "layers": len(members),
                "ms": took,
                "share": sum(member["share"] for member in members),
                "flops": total,
                "gflops_per_s": _rate(total, took),
                "bytes": sum(member["bytes"] for member in members),
            }
        )
    return sorted(rows, key=lambda row: -row["ms"])


def _native(engine: OpenVINOEngine, niter: int) -> NativeProfile:
    """Return medians by OpenVINO's own layer types, one of which may cover several layers of the file."""
    whole: list[float] = []
    times: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in told(range(niter), "timing", unit="runs"):
        whole.append(milliseconds(engine.run)[1])
        for type, (took, count) in engine.profile().items():
            times.setdefault(type, []).append(took)
            counts[type] = count
    medians = {type: statistics.median(took) for type, took in times.items()}
    inside = sum(medians.values())
    rows: list[ShareRecord] = [
        {"type": type, "layers": counts[type], "ms": took, "share": took / inside if inside else 0.0}
        for type, took in sorted(medians.items(), key=lambda item: -item[1])
    ]
    return {"version": engine.version, "total_ms": statistics.median(whole), "layers_ms": inside, "types": rows}


def _rate(flops: float | None, milliseconds: float) -> float | None:
    return None if flops is None or milliseconds == 0 else flops / milliseconds / 1e6


def _flops(timing: Timing) -> int | None:
    """Return the arithmetic operations of one call, a multiply-add counted as two; None for uncounted steps.

    A fused step counts as the matrix product or convolution in it.
    """
    op = timing.step.node.op
    if op is None or op.multiply_adds is None or not timing.outputs:
        return None
    return 2 * op.multiply_adds(Sizes(tuple(shape or () for shape in timing.inputs), timing.outputs[0] or ()))


def _moved(timing: Timing) -> int:
    """Return the bytes that one call reads and writes: inputs, outputs, and the weights stored in a fused step."""
    op = timing.step.node.op
    if isinstance(op, _WEIGHTED):
        return timing.bytes + op.weights.nbytes
    if isinstance(op, FusedRecurrence):
        return timing.bytes + sum(own.w.nbytes + own.r.nbytes for own in op.weights)
    return timing.bytes
