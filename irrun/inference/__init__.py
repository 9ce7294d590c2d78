"""Type and shape inference, including the values of shape arithmetic."""

from irrun.inference.again import Inference
from irrun.inference.facts import Facts
from irrun.inference.infer import infer

__all__ = ["Facts", "Inference", "infer"]
