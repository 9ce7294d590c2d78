from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Made, constant_nodes, made, remarkable
from irrun.ops.movement.gather import is_counted_from_end
from irrun.tensor import Fact


class NotRunByCpuPlugin(Rule):
    """OpenVINO's CPU plugin refuses the layer, fails on it, or computes a different result.

    ## What it does
    Looks for valid forms of operations with a known fault in the plugin: tensors that lose their rank, a Gather of no
    indices, an LRN or a reduction along no axes, sequences of dynamic shape with lengths, and others.

    ## Why is this bad
    The model loads and then fails, crashes the process, or deviates from the specification.

    ## Example
    An LRN with an empty list of axes.

    ## Use instead
    An equivalent form: no LRN instead of one without axes, a known rank, fixed sizes.
    """

    code = "IR702"
    name = "not-run-by-cpu-plugin"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in remarkable(context):
            yield from self._finding(item, _dynamic_rank(item))
        for item in made(context, *KNOWN):
            if all(fact.rank is not None for fact in item.outputs):
                yield from self._finding(item, KNOWN[item.node.type](item))

    def _finding(self, item: Made, what: str | None) -> Iterator[Diagnostic]:
        if what is not None:
            yield self.report(item, f"OpenVINO's CPU plugin {what}")


def _dynamic_rank(item: Made) -> str | None:
    """Report an output that loses its rank; not in loops, where only the inference may lose it."""
    if item.node.type == "Parameter" or item.node.bodies or item.scope.path:
        return None
    if any(fact.rank is None for fact in item.inputs):
        return None
    unknown = next((port for port, fact in enumerate(item.outputs) if fact.rank is None), None)
    return None if unknown is None else f"refuses tensors of dynamic rank, as output {unknown} is"


def _input(item: Made, index: int) -> Fact | None:
    return item.inputs[index] if index < len(item.inputs) else None


def _is_empty(fact: Fact | None) -> bool:
    return fact is not None and fact.shape.is_static and fact.shape.size == 0


def _value(item: Made, index: int) -> Any:
    fact = _input(item, index)
    return None if fact is None else fact.constant


def _attribute(item: Made, name: str) -> Any:
    return getattr(item.node.op, name, None)


def _gather(item: Made) -> str | None:
    if _is_empty(_input(item, 1)):
        return "ends the process where a Gather has no indices"
    indices, data = _value(item, 1), item.inputs[0]
    if indices is None or not indices.size or int(indices.min()) >= 0 or _attribute(item, "opset") not in (1, 7):
        return None
    if data.is_constant or item.node.id in constant_nodes(item.scope.graph):
        return None
    axis, batches = _value(item, 2), _attribute(item, "batch_dims") or 0
    if axis is not None and data.rank and is_counted_from_end(data, item.inputs[1], int(axis.reshape(-1)[0]), batches):
        return None
    does = "reads beyond its memory" if data.rank == 1 and data.type.name in ("f32", "i32", "i64") else "gives zeros"
    return f"{does} for the negative indices of a Gather before opset8, such as {int(indices.min())}"


def _lrn(item: Made) -> str | None:
    return "ends the process where an LRN has no axes" if _is_empty(_input(item, 1)) else None


def _reduction(item: Made) -> str | None:
    if _value(item, 1) is not None and _is_empty(_input(item, 1)):
        return "refuses a reduction along a constant, empty list of axes"
    return None


def _logical_reduction(item: Made) -> str | None:
    return "refuses a logical reduction along axes that are not constant" if _varies(item, 1) else _reduction(item)


def _varies(item: Made, *ports: int) -> bool:
    """Return whether one of the inputs is computed at run time; unconnected inputs of a bare layer do not count."""
    sources = item.scope.graph.sources(item.node.id)
    fed = (sources[port] for port in ports if port < len(sources))
    return any(
        outlet is not None
        and item.scope.graph[outlet.node].layer is not None
        and item.scope.facts is not None
        and item.scope.facts[outlet].constant is None
        and item.scope.graph[outlet.node].type != "Const"
        for outlet in fed
    )


def _parametrized(item: Made) -> str | None:
    return f"refuses a {item.node.type} whose parameters are not constant" if _varies(item, 1, 2) else None


def _sequence(item: Made) -> str | None:
    lengths = 3 if item.node.type == "LSTMSequence" else 2
    data = item.inputs[0].shape
    if data.is_static or not _varies(item, lengths):
        return None
    return f"ignores sequence_lengths of a {item.node.type} whose data {data} are dynamic"


def _cell(item: Made) -> str | None:
    if _attribute(item, "input_forget"):
        return "ignores input_forget"
    form = _attribute(item, "weights_format")
    return (
        f'takes the gates in the order "fico" and ignores weights_format="{form}"'
        if form not in (None, "fico")
        else None
    )


def _interpolate(item: Made) -> str | None:
    if _attribute(item, "antialias") and _attribute(item, "mode") == "linear":
        return "ignores antialias where an Interpolate of mode linear shrinks"
    return None


def _range(item: Made) -> str | None:
    start, stop, step = (_value(item, index) for index in range(3))
    if start is None or stop is None or step is None or (stop - start) * step >= 0:
        return None
    return f"gives elements for a Range from {start} to {stop} by {step}, which is empty"


def _suppression(item: Made) -> str | None:
    return "writes beyond its memory where no max_output_boxes_per_class is given" if len(item.inputs) < 3 else None


def _segments(item: Made) -> str | None:
    default = _value(item, 4)
    if default is not None and default.size == 1 and int(default.reshape(-1)[0]) == -1:
        return "writes beyond its memory where default_index is -1"
    return None


def _transform(item: Made) -> str | None:
    sizes, axes, data = _value(item, 2), _value(item, 1), item.inputs[0].shape.dims
    if sizes is None or axes is None or data is None:
        return None
    for axis, size in zip(axes.reshape(-1).tolist(), sizes.reshape(-1).tolist(), strict=False):
        if -len(data) <= axis < len(data) and size > data[axis].hi:
            return f"writes beyond its memory where signal_size {size} exceeds the {data[axis]} of axis {axis}"
    return None


def _scatter(item: Made) -> str | None:
    if len(item.inputs) < 6 and _varies(item, 2, 3, 4):
        return "gives garbage where a SliceScatter has no axes and bounds that are not constant"
    return None


def _pdpd(item: Made) -> str | None:
    return (
        f"refuses a {item.node.type} with auto_broadcast pdpd" if _attribute(item, "auto_broadcast") == "pdpd" else None
    )


def _clamp(item: Made) -> str | None:
    kind, least = item.inputs[0].type, _attribute(item, "min")
    if kind.is_integer and kind.bits == 8 and least is not None and np.isfinite(least) and least > 0 and least % 1:
        return f"rounds min {least:g} of a Clamp of {kind} down, the specification up"
    return None


KNOWN: Final[dict[str, Callable[[Made], str | None]]] = {
    "Clamp": _clamp,
    "EmbeddingSegmentsSum": _segments,
    "Equal": _pdpd,
    "GRUSequence": _sequence,
    "Gather": _gather,
    "HardSigmoid": _parametrized,
    "Interpolate": _interpolate,
    "LRN": _lrn,
    "LSTMCell": _cell,
    "LSTMSequence": _sequence,
    "NonMaxSuppression": _suppression,
    "RDFT": _transform,
    "RNNSequence": _sequence,
    "Range": _range,
    **dict.fromkeys(("ReduceLogicalAnd", "ReduceLogicalOr"), _logical_reduction),
    **dict.fromkeys(
        (
            "ReduceL1",
            "ReduceL2",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
        ),
        _reduction,
    ),
    "Select": _pdpd,
    "Selu": _parametrized,
    "SliceScatter": _scatter,
    "Subtract": _pdpd,
}
"""Known faults by operation, as the words that follow "OpenVINO's CPU plugin"."""
