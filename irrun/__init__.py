"""irrun: an interpreter and linter for OpenVINO IR files.

>>> import irrun
>>> compiled = irrun.compile_model("model.xml")
>>> outputs = compiled({"image": image})

Other names of OpenVINO's, such as ``irrun.opset13`` and ``irrun.preprocess``, are those of ``irrun.openvino``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from irrun import generation, openvino
    from irrun.diagnostics import Diagnostic, IRError
    from irrun.diagnostics.internal import InternalError
    from irrun.diagnostics.version import __version__
    from irrun.generation import GenerationConfig, TextEmbeddingPipeline, TextPipeline, TextRerankPipeline, Tokenizer
    from irrun.linter import lint
    from irrun.model import InputError, distributed
    from irrun.openvino import (
        AsyncInferQueue,
        CompiledModel,
        Core,
        InferRequest,
        Layout,
        Model,
        PartialShape,
        Shape,
        Tensor,
        Type,
        compile_model,
        read_model,
        save_model,
        serialize,
    )
    from irrun.ops.extending import extend

_MODULES = {
    "distributed": "irrun.model.distributed",
    "generation": "irrun.generation",
    "openvino": "irrun.openvino",
}
_PLACES = {
    "Diagnostic": "irrun.diagnostics",
    "GenerationConfig": "irrun.generation",
    "IRError": "irrun.diagnostics",
    "InputError": "irrun.model",
    "InternalError": "irrun.diagnostics.internal",
    "TextEmbeddingPipeline": "irrun.generation",
    "TextPipeline": "irrun.generation",
    "TextRerankPipeline": "irrun.generation",
    "Tokenizer": "irrun.generation",
    "__version__": "irrun.diagnostics.version",
    "extend": "irrun.ops.extending",
    "lint": "irrun.linter",
}

__all__ = ["Diagnostic", "IRError", "InputError", "InternalError", "__version__", "distributed", "extend", "lint"]
__all__ += ["AsyncInferQueue", "CompiledModel", "Core", "InferRequest", "Layout", "Model", "PartialShape", "openvino"]
__all__ += ["Shape", "Tensor", "Type", "compile_model", "generation", "read_model", "save_model", "serialize"]
__all__ += ["GenerationConfig", "TextEmbeddingPipeline", "TextPipeline", "TextRerankPipeline", "Tokenizer"]


def __getattr__(name: str) -> "Any":
    """Import on first use, so that starting costs nothing."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name.startswith("_"):
        raise AttributeError(f"module 'irrun' has no attribute {name!r}")
    face = import_module("irrun.openvino")
    is_offered = name in face.__all__ or name.startswith("opset")
    return getattr(face, name) if is_offered else face.__getattr__(name)


def __dir__() -> list[str]:
    return __all__
