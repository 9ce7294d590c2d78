"""The error that the precision of a run costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.cli.inputs import runner
from irrun.cli.precision import GROUP_SIZE, HINT
from irrun.cli.tables import aligned, columns
from irrun.cli.values import printable
from irrun.evaluation.differences import cosine, gaps
from irrun.evaluation.files.reading import Value
from irrun.graph import Node
from irrun.model import Compiled, Loaded, Outputs, build
from irrun.ops.fused.base import Fused
from irrun.runtime.execute import Observer
from irrun.runtime.single_layers import OwnErrors, RoundOne, difference, layers_that_round
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME, F32

MOST: Final = 3
"""Layers that are named."""

TRIED: Final = 10
"""Layers that are rounded by themselves."""


def compared(
    model: Loaded, path: Path, config: Mapping[str, Any], given: Sequence[Value], outputs: Outputs
) -> dict[str, Any]:
    """Run a model in f32 too: the errors of its outputs, and the layers whose rounding contributes most to these.

    The layers whose own results err most are rounded one at a time.
    """
    precision = BY_NAME[config[HINT]]
    model = model.reshaped({value.port.any_name: value.array.shape for value in given if _is_open(value)})
    names = set(layers_that_round(build(model, config).plan))
    plain = build(model, {**config, HINT: F32.name, GROUP_SIZE: 0, "TIER": "numpy"})
    observer = OwnErrors(precision, names)
    exact = _run(plain, observer, path, given)
    rows = zip(exact.to_dict().items(), outputs.to_tuple(), strict=True)
    found = [{"output": port.any_name, **_error(array, other)} for (port, array), other in rows]
    layers: list[tuple[float, float, Node]] = []
    for node, error in sorted(observer.errors, key=lambda pair: -pair[1])[:TRIED]:
        alone = _run(plain, RoundOne(precision, node), path, given)
        layers.append((difference(exact.to_tuple(), alone.to_tuple()), error, node))
    layers.sort(key=lambda layer: layer[:2], reverse=True)
    named = [{"layer": _name(node), "error": error, "own": own} for error, own, node in layers[:MOST]]
    return {"precision": precision.name, "outputs": found, "layers": named}


def _is_open(value: Value) -> bool:
    return not value.port.partial_shape.is_static


def _run(model: Compiled, observer: Observer, path: Path, given: Sequence[Value]) -> Outputs:
    """Run a model from its initial state."""
    request = model.session()
    request.observers.append(observer)
    return runner(request, given, path)()


def _name(node: Node) -> str:
    return node.op.parts[0] if isinstance(node.op, Fused) and node.op.parts else node.name


def _error(exact: Array, array: Array) -> dict[str, float | None]:
    """The largest and the mean difference, and the cosine of the angle; None for text."""
    if exact.dtype.kind not in "fiu" or exact.shape != array.shape or not exact.size:
        return {"max": None, "mean": None, "cosine": None}
    x, y = exact.astype(np.float64).reshape(-1), array.astype(np.float64).reshape(-1)
    gap = gaps(x, y)
    return {"max": float(gap.max()), "mean": float(gap.mean()), "cosine": cosine(x, y)}


def text(record: Mapping[str, Any]) -> str:
    """Format the comparison for a terminal."""
    rows = [["against f32", "max", "mean", "cosine"]]
    for item in record["outputs"]:
        numbers = ["-" if item[key] is None else f"{item[key]:.3g}" for key in ("max", "mean")]
        cosine = "-" if item["cosine"] is None else f"{item['cosine']:.7f}"
        rows.append([printable(item["output"]), *numbers, cosine])
    width = columns()
    lines = [aligned(rows, width=width)]
    if record["layers"]:
        named = [
            [printable(item["layer"]), *(f"{item[key]:.2g}" for key in ("error", "own"))] for item in record["layers"]
        ]
        lines += ["", aligned([["rounded by itself", "error of the outputs", "of the layer"], *named], width=width)]
    return "\n".join(lines)
