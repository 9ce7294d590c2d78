"""Names that programs import from OpenVINO's private module of classes."""

from irrun.openvino.models.model import Model
from irrun.openvino.running.compiled import CompiledModel
from irrun.openvino.running.core import Core, compile_model
from irrun.openvino.running.queue import AsyncInferQueue
from irrun.openvino.running.request import InferRequest
from irrun.openvino.running.results import OVDict
from irrun.openvino.values.tensor import tensor_from_file

__all__ = ["AsyncInferQueue", "CompiledModel", "Core", "InferRequest", "Model", "OVDict", "compile_model"]
__all__ += ["tensor_from_file"]
