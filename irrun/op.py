"""Nodes with classes of their own, as OpenVINO's ``op``."""

from irrun.api.op import Constant, Parameter, Result
from irrun.api.subgraphs import If, Loop, TensorIterator

if_op = If
loop = Loop
tensor_iterator = TensorIterator

__all__ = ["Constant", "Parameter", "Result", "if_op", "loop", "tensor_iterator"]
