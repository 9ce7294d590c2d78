"""The Python API."""

from irrun.model.arguments import InputError
from irrun.model.model import CompiledModel, InferRequest, Model, Outputs, VariableState, compile_model, read_model
from irrun.model.port import Port

__all__ = [
    "CompiledModel",
    "InferRequest",
    "InputError",
    "Model",
    "Outputs",
    "Port",
    "VariableState",
    "compile_model",
    "read_model",
]
