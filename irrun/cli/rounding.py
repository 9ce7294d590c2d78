"""The error that the precision of a run costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.cli.differences import cosine, gaps
from irrun.cli.inputs import Value, runner
from irrun.cli.precision import HINT
from irrun.cli.tables import aligned
from irrun.cli.values import printable
from irrun.model import Loaded, Outputs, build
from irrun.ops.fused.base import Fused
from irrun.runtime.own_errors import OwnErrors
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME, F32

MOST: Final = 3
"""Layers that are named."""


def compared(
    model: Loaded, path: Path, config: Mapping[str, Any], given: Sequence[Value], outputs: Outputs
) -> dict[str, Any]:
    """Run a model in f32 too: the errors of its outputs, and the layers whose own rounding errs most."""
    precision = BY_NAME[config[HINT]]
    request = build(model, {**config, HINT: F32.name}).session()
    observer = OwnErrors(precision)
    request.observers.append(observer)
    exact = runner(request, given, path)()
    rows = zip(exact.to_dict().items(), outputs.to_tuple(), strict=True)
    found = [{"output": port.any_name, **_error(array, other)} for (port, array), other in rows]
    layers = sorted(observer.errors, key=lambda pair: -pair[1])[:MOST]
    named = [{"layer": _name(step.node.op, step.node.name), "error": error} for step, error in layers]
    return {"precision": precision.name, "outputs": found, "layers": named}


def _name(op: object, name: str) -> str:
    return op.parts[0] if isinstance(op, Fused) and op.parts else name


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
    lines = [aligned(rows)]
    if record["layers"]:
        named = [[printable(item["layer"]), f"{item['error']:.2g}"] for item in record["layers"]]
        lines += ["", aligned([["largest errors of single layers", "relative"], *named])]
    return "\n".join(lines)
