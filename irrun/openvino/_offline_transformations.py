"""Changes of models that programs apply by these names; OpenVINO's own optimisations have nothing to do here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irrun.openvino.models.model import Model
from irrun.openvino.passes.compression import CompressFloats
from irrun.openvino.passes.states import BEAMS, MakeStateful, make_stateless
from irrun.openvino.release import RELEASE


def apply_moc_transformations(model: Model, cf: bool, smart_reshape: bool = False) -> None:
    """Do nothing: models are optimised when they are compiled."""


def apply_moc_legacy_transformations(model: Model, params_with_custom_types: Sequence[str]) -> None:
    """Do nothing: models are optimised when they are compiled."""


def apply_low_latency_transformation(model: Model, use_const_initializer: bool = True) -> None:
    """Do nothing: loops are run as they are."""


def apply_pruning_transformation(model: Model) -> None:
    """Do nothing: zeros among weights stay."""


def apply_make_stateful_transformation(model: Model, param_res_names: Any) -> None:
    """Replace pairs of a Parameter and a Result, given as such or by names, by variables."""
    MakeStateful(param_res_names).run_on_model(model)


def stateful_to_stateless_transformation(model: Model) -> None:
    """Replace the variables of a language model by inputs and outputs; RuntimeError for one without ``beam_idx``."""
    if not any(port.get_node().friendly_name == BEAMS or BEAMS in port.names for port in model.inputs):
        raise RuntimeError(f"the model has no input {BEAMS}, which orders its states; irrun edit state does without")
    make_stateless(model)


def paged_attention_transformation(*_arguments: Any, **_named: Any) -> None:
    """Raise RuntimeError: no operation of an opset reads a cache by pages."""
    raise RuntimeError("irrun has no paged attention: its layers are those of OpenVINO GenAI, which no file has")


def get_version() -> str:
    """Return the release of OpenVINO whose API this is."""
    return RELEASE


def apply_fused_names_cleanup(model: Model) -> None:
    """Remove the notes on the names of fused nodes."""
    for node in model.get_ops():
        notes = node.get_rt_info()
        for key in [key for key in notes if key.startswith("fused_names")]:
            del notes[key]


def compress_model_transformation(model: Model) -> None:
    """Store the constants of f32 in f16, each with a Convert behind it."""
    CompressFloats().run_on_model(model)


def convert_sequence_to_tensor_iterator_transformation(model: Model) -> None:
    """Do nothing: recurrent sequences are run as they are."""


def compress_quantize_weights_transformation(model: Model) -> None:
    """Do nothing: quantised weights are computed when a model is compiled."""
