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
    from irrun.openvino import (
        AxisSet as AxisSet,
    )
    from irrun.openvino import (
        AxisVector as AxisVector,
    )
    from irrun.openvino import (
        ConstOutput as ConstOutput,
    )
    from irrun.openvino import (
        Coordinate as Coordinate,
    )
    from irrun.openvino import (
        CoordinateDiff as CoordinateDiff,
    )
    from irrun.openvino import (
        Dimension as Dimension,
    )
    from irrun.openvino import (
        DiscreteTypeInfo as DiscreteTypeInfo,
    )
    from irrun.openvino import (
        Extension as Extension,
    )
    from irrun.openvino import (
        Input as Input,
    )
    from irrun.openvino import (
        Node as Node,
    )
    from irrun.openvino import (
        Op as Op,
    )
    from irrun.openvino import (
        OpExtension as OpExtension,
    )
    from irrun.openvino import (
        Output as Output,
    )
    from irrun.openvino import (
        OVAny as OVAny,
    )
    from irrun.openvino import (
        OVDict as OVDict,
    )
    from irrun.openvino import (
        ProfilingInfo as ProfilingInfo,
    )
    from irrun.openvino import (
        RemoteContext as RemoteContext,
    )
    from irrun.openvino import (
        RemoteTensor as RemoteTensor,
    )
    from irrun.openvino import (
        RTMap as RTMap,
    )
    from irrun.openvino import (
        Strides as Strides,
    )
    from irrun.openvino import (
        Symbol as Symbol,
    )
    from irrun.openvino import (
        TensorVector as TensorVector,
    )
    from irrun.openvino import (
        VAContext as VAContext,
    )
    from irrun.openvino import (
        VariableState as VariableState,
    )
    from irrun.openvino import (
        VASurfaceTensor as VASurfaceTensor,
    )
    from irrun.openvino import (
        Version as Version,
    )
    from irrun.openvino import (
        convert_model as convert_model,
    )
    from irrun.openvino import (
        exceptions as exceptions,
    )
    from irrun.openvino import (
        experimental as experimental,
    )
    from irrun.openvino import (
        frontend as frontend,
    )
    from irrun.openvino import (
        get_batch as get_batch,
    )
    from irrun.openvino import (
        get_version as get_version,
    )
    from irrun.openvino import (
        helpers as helpers,
    )
    from irrun.openvino import (
        layout_helpers as layout_helpers,
    )
    from irrun.openvino import (
        op as op,
    )
    from irrun.openvino import (
        package_utils as package_utils,
    )
    from irrun.openvino import (
        passes as passes,
    )
    from irrun.openvino import (
        preprocess as preprocess,
    )
    from irrun.openvino import (
        properties as properties,
    )
    from irrun.openvino import (
        set_batch as set_batch,
    )
    from irrun.openvino import (
        shutdown as shutdown,
    )
    from irrun.openvino import (
        stand_in as stand_in,
    )
    from irrun.openvino import (
        tensor_from_file as tensor_from_file,
    )
    from irrun.openvino import (
        tools as tools,
    )
    from irrun.openvino import (
        utils as utils,
    )
    from irrun.ops.extending import extend, unextend

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
    "unextend": "irrun.ops.extending",
}

__all__ = ["Diagnostic", "IRError", "InputError", "InternalError", "__version__", "distributed", "extend", "lint"]
__all__ += ["unextend"]
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
