"""Checks of the transformations that programs import from ``_offline_transformations``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32


def _model(ov: Any) -> Any:
    ops = ov.opset13
    x, past = ops.parameter([1, 4], F, name="x"), ops.parameter([1, 4], F, name="past")
    made = ops.add(ops.multiply(x, ops.constant(np.full((1, 4), 0.5, F))), past, name="sum")
    made.output(0).set_names({"present"})
    x.output(0).set_names({"x"})
    past.output(0).set_names({"past"})
    return ov.Model([ops.result(made, name="present")], [x, past], "m")


def _applied(name: str, *arguments: Any) -> Check:
    """Return a check of the types of the layers of a model, its inputs and its results after a transformation."""

    def check(ov: Any) -> Any:
        model = _model(ov)
        getattr(import_module(f"{ov.__name__}._offline_transformations"), name)(model, *arguments)
        request = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
        inputs = {name: np.arange(4, dtype=F)[None] for name in ("x", "past")[: len(model.inputs)]}
        found = [request.infer(inputs)[0].copy() if model.outputs else None for _ in range(2)]
        layers = sorted(
            f"{op.get_type_name()} {op.get_element_type()}" for op in model.get_ops() if op.get_output_size()
        )
        return [layers, len(model.inputs), len(model.outputs), found]

    return check


def _names_of_fused(ov: Any) -> Any:
    model = _model(ov)
    for op in model.get_ops():
        op.get_rt_info()["fused_names_0"] = op.get_friendly_name()
        op.get_rt_info()["mine"] = 1
    import_module(f"{ov.__name__}._offline_transformations").apply_fused_names_cleanup(model)
    return [sorted(op.get_rt_info().keys()) for op in model.get_ordered_ops()]


CHECKS: dict[str, Check] = {
    "offline, f16": _applied("compress_model_transformation"),
    "offline, stateful by names": _applied("apply_make_stateful_transformation", {"past": "present"}),
    "offline, nothing to quantize": _applied("compress_quantize_weights_transformation"),
    "offline, moc": _applied("apply_moc_transformations", False),
    "offline, pruning": _applied("apply_pruning_transformation"),
    "offline, names of fused nodes": _names_of_fused,
}
