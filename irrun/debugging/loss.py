"""The error that the precision of a run costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

import numpy as np

from irrun.debugging.cases import of_sizes
from irrun.debugging.rounding import run_rounded
from irrun.debugging.stopping import StopRecord, first_rounded_away
from irrun.evaluation.differences import cosine, gaps
from irrun.graph import Node
from irrun.model import Compiled, Loaded, Outputs, build
from irrun.ops._declared.fused.base import Fused
from irrun.runtime.execute import Observer
from irrun.runtime.single_layers import OwnErrors, RoundOne, difference, layers_that_round
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME, F16, F32

MOST: Final = 3
"""Layers that are named."""

_PLAIN: Final = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0, "TIER": "numpy"}

TRIED: Final = 10
"""Layers that are rounded by themselves."""


class OutputLoss(TypedDict):
    """Errors of an output; null for text."""

    output: str
    max: float | None
    mean: float | None
    cosine: float | None


class LayerShare(TypedDict):
    """The errors of the outputs, and of the layer itself, if only it is rounded."""

    layer: str
    error: float
    own: float


class LossRecord(TypedDict):
    """The loss in a precision; ``lost`` is where numbers are lost."""

    precision: str
    outputs: list[OutputLoss]
    layers: list[LayerShare]
    lost: StopRecord | None


def precision_loss(
    model: Loaded, inputs: Mapping[int, Array], config: Mapping[str, Any], outputs: Sequence[Array]
) -> dict[str, Any]:
    """Run a model in f32 too: the errors of its outputs, and the layers whose rounding contributes most to these.

    ``outputs`` are those for ``inputs`` with ``config``, the settings of ``compile_model``, which name a precision. The
    layers whose own results err most are rounded one at a time. The record has the ``precision``, ``outputs`` with
    ``max``, ``mean`` and ``cosine``, ``layers`` with the ``error`` of the outputs, and their ``own``, and ``lost``:
    the first layer that makes NaN or infinity if the results of all layers are rounded to f16 (`FirstNotFinite`).
    """
    if config["INFERENCE_PRECISION_HINT"] == F32.name:
        return _as_written(model, inputs, outputs)
    precision = BY_NAME[config["INFERENCE_PRECISION_HINT"]]
    model = of_sizes(model, inputs)
    names = set(layers_that_round(build(model, config).plan))
    plain = build(model, {**config, **_PLAIN})
    observer = OwnErrors(precision, names)
    exact = _run(plain, observer, inputs)
    rows = zip(exact.to_dict().items(), outputs, strict=True)
    found = [{"output": port.any_name, **_error(array, other)} for (port, array), other in rows]
    layers: list[tuple[float, float, Node]] = []
    for node, error in sorted(observer.errors, key=lambda pair: -pair[1])[:TRIED]:
        alone = _run(plain, RoundOne(precision, node), inputs)
        layers.append((difference(exact.to_tuple(), alone.to_tuple()), error, node))
    layers.sort(key=lambda layer: layer[:2], reverse=True)
    named = [{"layer": _name(node), "error": error, "own": own} for error, own, node in layers[:MOST]]
    lost = first_rounded_away(model, inputs) if precision is F16 else None
    return {"precision": precision.name, "outputs": found, "layers": named, "lost": lost and lost.as_dict()}


def _as_written(model: Loaded, inputs: Mapping[int, Array], outputs: Sequence[Array]) -> dict[str, Any]:
    """Return the loss of a file that declares f16 layers, and is computed in f32, if each of them is rounded."""
    rounded = run_rounded(model, inputs, F16.name)
    rows = zip(model.outputs, outputs, rounded, strict=True)
    found = [{"output": port.any_name, **_error(array, other)} for port, array, other in rows]
    lost = first_rounded_away(model, inputs)
    return {"precision": F16.name, "outputs": found, "layers": [], "lost": lost and lost.as_dict()}


def _run(model: Compiled, observer: Observer, inputs: Mapping[int, Array]) -> Outputs:
    """Run a model from its initial state."""
    session = model.session()
    session.observers.append(observer)
    return session.run(inputs)


def _name(node: Node) -> str:
    return node.op.parts[-1] if isinstance(node.op, Fused) and node.op.parts else node.name


def _error(exact: Array, array: Array) -> dict[str, float | None]:
    """The largest and the mean difference, and the cosine of the angle; None for text."""
    if exact.dtype.kind not in "fiu" or exact.shape != array.shape or not exact.size:
        return {"max": None, "mean": None, "cosine": None}
    x, y = exact.astype(np.float64).reshape(-1), array.astype(np.float64).reshape(-1)
    gap = gaps(x, y)
    return {"max": float(gap.max()), "mean": float(gap.mean()), "cosine": cosine(x, y)}
