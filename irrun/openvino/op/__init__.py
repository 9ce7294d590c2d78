"""Nodes with classes of their own, as OpenVINO's ``op``."""

from irrun.openvino.models.subgraphs import If, Loop, TensorIterator
from irrun.openvino.nodes.op import Constant, Parameter, Result
from irrun.openvino.nodes.variables import Assign, ReadValue
from irrun.openvino.op import util

if_op = If
loop = Loop
tensor_iterator = TensorIterator
assign = Assign
read_value = ReadValue

__all__ = ["Constant", "Parameter", "Result", "assign", "if_op", "loop", "read_value", "tensor_iterator", "util"]
