"""OpenVINO's Python API: its modules, with the names that they have in OpenVINO.

>>> import irrun.openvino as ov
>>> from irrun.openvino import opset13, preprocess
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import Any

from irrun.openvino import (
    exceptions,
    experimental,
    frontend,
    helpers,
    layout_helpers,
    op,
    package_utils,
    passes,
    preprocess,
    properties,
    tools,
    utils,
)
from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.importing.converting import convert_model
from irrun.openvino.importing.refused import refused_class
from irrun.openvino.importing.stand_in import stand_in
from irrun.openvino.models.batch import get_batch, set_batch
from irrun.openvino.models.model import Model
from irrun.openvino.models.saving import save_model, serialize
from irrun.openvino.nodes.custom import Op, OpExtension
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.ports import ConstOutput, DescriptorTensor, Input, Output
from irrun.openvino.opsets import module
from irrun.openvino.release import RELEASE
from irrun.openvino.running.compiled import CompiledModel
from irrun.openvino.running.core import Core, Extension, Version, compile_model, read_model
from irrun.openvino.running.queue import AsyncInferQueue
from irrun.openvino.running.request import InferRequest
from irrun.openvino.running.results import OVDict, ProfilingInfo
from irrun.openvino.running.states import VariableState
from irrun.openvino.values.dimensions import Dimension, Symbol
from irrun.openvino.values.layout import Layout
from irrun.openvino.values.rt_info import OVAny, RTMap
from irrun.openvino.values.shapes import (
    AxisSet,
    AxisVector,
    Coordinate,
    CoordinateDiff,
    PartialShape,
    Shape,
    Strides,
)
from irrun.openvino.values.tensor import Tensor, TensorVector, tensor_from_file
from irrun.openvino.values.type_info import DiscreteTypeInfo
from irrun.openvino.values.types import Type
from irrun.ops.registry import LATEST

__all__ = ["AxisSet", "AxisVector", "Coordinate", "CoordinateDiff", "Dimension", "PartialShape", "Shape", "Strides"]
__all__ += ["DiscreteTypeInfo", "Layout", "OVAny", "RTMap", "Symbol", "Tensor", "TensorVector", "Type"]
__all__ += ["ConstOutput", "Input", "Model", "Node", "Op", "Output", "get_batch", "set_batch", "tensor_from_file"]
__all__ += ["AsyncInferQueue", "CompiledModel", "Core", "InferRequest", "OVDict", "ProfilingInfo", "VariableState"]
__all__ += ["Extension", "Version", "__version__", "compile_model", "get_version", "read_model", "save_model"]
__all__ += ["serialize", "shutdown", "stand_in"]
__all__ += ["OpExtension", "RemoteContext", "RemoteTensor", "VAContext", "VASurfaceTensor", "convert_model"]
__all__ += ["exceptions", "experimental", "frontend", "helpers", "layout_helpers", "op", "package_utils", "passes"]
__all__ += ["preprocess", "properties", "tools", "utils"]

__version__ = RELEASE
"""The release of OpenVINO whose API this is, in the form of its versions; ``irrun.__version__`` is that of irrun."""

RemoteContext: type = refused_class("RemoteContext")
RemoteTensor: type = refused_class("RemoteTensor")
VAContext: type = refused_class("VAContext")
VASurfaceTensor: type = refused_class("VASurfaceTensor")


def get_version() -> str:
    """Return the release of OpenVINO whose API this is."""
    return RELEASE


def shutdown() -> None:
    """Do nothing: no resource is left that ends with the process only."""


def __getattr__(name: str) -> Any:
    """Name the reason where irrun does not have a name of OpenVINO's."""
    reason = f": {ABSENT[name]}" if name in ABSENT else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{reason}")


_spec = ModuleSpec(f"{__name__}._pyopenvino", None, is_package=True)
_pyopenvino = sys.modules[_spec.name] = module_from_spec(_spec)
"""The names that programs import from OpenVINO's compiled module."""

vars(_pyopenvino).update({name: globals()[name] for name in __all__} | {"DescriptorTensor": DescriptorTensor})
vars(_pyopenvino).update({name: getattr(frontend, name) for name in frontend.__all__})

for _opset in range(1, LATEST + 1):
    globals()[f"opset{_opset}"] = sys.modules[f"{__name__}.opset{_opset}"] = module(_opset)
