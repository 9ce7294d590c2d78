"""irrun: an interpreter and linter for OpenVINO IR files.

>>> import irrun
>>> compiled = irrun.compile_model("model.xml")
>>> outputs = compiled({"image": image})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irrun import exceptions, helpers, layout_helpers, op, passes, preprocess, properties, utils
    from irrun.api.batch import get_batch, set_batch
    from irrun.api.compiled import CompiledModel
    from irrun.api.core import Core, Version, compile_model, read_model
    from irrun.api.custom import Op
    from irrun.api.dimensions import Dimension, Symbol
    from irrun.api.layout import Layout
    from irrun.api.model import Model
    from irrun.api.nodes import ConstOutput, Input, Node, Output
    from irrun.api.queue import AsyncInferQueue
    from irrun.api.request import InferRequest
    from irrun.api.results import OVDict, ProfilingInfo
    from irrun.api.rt_info import OVAny, RTMap
    from irrun.api.saving import save_model, serialize
    from irrun.api.shapes import (
        AxisSet,
        AxisVector,
        Coordinate,
        CoordinateDiff,
        PartialShape,
        Shape,
        Strides,
    )
    from irrun.api.states import VariableState
    from irrun.api.tensor import Tensor, TensorVector, tensor_from_file
    from irrun.api.type_info import DiscreteTypeInfo
    from irrun.api.types import Type
    from irrun.diagnostics import Diagnostic, IRError
    from irrun.diagnostics.internal import InternalError
    from irrun.linter import lint
    from irrun.model import InputError

__version__ = "0.1.0"

_PLACES = {
    name: module
    for module, names in {
        "irrun.api.compiled": ["CompiledModel"],
        "irrun.api.core": ["Core", "Version", "compile_model", "read_model"],
        "irrun.api.custom": ["Op"],
        "irrun.api.dimensions": ["Dimension", "Symbol"],
        "irrun.api.layout": ["Layout"],
        "irrun.api.batch": ["get_batch", "set_batch"],
        "irrun.api.model": ["Model"],
        "irrun.api.nodes": ["ConstOutput", "Input", "Node", "Output"],
        "irrun.api.queue": ["AsyncInferQueue"],
        "irrun.api.request": ["InferRequest"],
        "irrun.api.states": ["VariableState"],
        "irrun.api.results": ["OVDict", "ProfilingInfo"],
        "irrun.api.rt_info": ["OVAny", "RTMap"],
        "irrun.api.saving": ["save_model", "serialize"],
        "irrun.api.shapes": [
            *("AxisSet", "AxisVector", "Coordinate", "CoordinateDiff", "PartialShape", "Shape", "Strides")
        ],
        "irrun.api.tensor": ["Tensor", "TensorVector", "tensor_from_file"],
        "irrun.api.type_info": ["DiscreteTypeInfo"],
        "irrun.api.types": ["Type"],
        "irrun.diagnostics": ["Diagnostic", "IRError"],
        "irrun.diagnostics.internal": ["InternalError"],
        "irrun.linter": ["lint"],
        "irrun.model": ["InputError"],
    }.items()
    for name in names
}

LATEST_OPSET = 17

_MODULES = ("exceptions", "helpers", "layout_helpers", "op", "passes", "preprocess", "properties", "utils")
_OPSETS = frozenset(map(str, range(1, LATEST_OPSET + 1)))

__all__ = [
    "AsyncInferQueue",
    "AxisSet",
    "AxisVector",
    "CompiledModel",
    "ConstOutput",
    "Coordinate",
    "CoordinateDiff",
    "Core",
    "Diagnostic",
    "Dimension",
    "DiscreteTypeInfo",
    "IRError",
    "InferRequest",
    "Input",
    "InputError",
    "InternalError",
    "Layout",
    "Model",
    "Node",
    "OVAny",
    "OVDict",
    "Op",
    "Output",
    "PartialShape",
    "ProfilingInfo",
    "RTMap",
    "Shape",
    "Strides",
    "Symbol",
    "Tensor",
    "TensorVector",
    "Type",
    "VariableState",
    "Version",
    "__version__",
    "compile_model",
    "exceptions",
    "get_batch",
    "get_version",
    "helpers",
    "layout_helpers",
    "lint",
    "op",
    "passes",
    "preprocess",
    "properties",
    "read_model",
    "save_model",
    "serialize",
    "set_batch",
    "shutdown",
    "tensor_from_file",
    "utils",
]


def get_version() -> str:
    """Return the version."""
    return __version__


def shutdown() -> None:
    """Do nothing: no resource is left that ends with the process only."""


def __getattr__(name: str) -> Any:
    """Import on first use, so that starting costs nothing."""
    import importlib

    if name in _MODULES or (name.startswith("opset") and name[5:] in _OPSETS):
        return importlib.import_module(f"irrun.{name}")
    if name not in _PLACES:
        from irrun.api.absent import ABSENT

        reason = f": {ABSENT[name]}" if name in ABSENT else ""
        raise AttributeError(f"module 'irrun' has no attribute {name!r}{reason}")
    return getattr(importlib.import_module(_PLACES[name]), name)
