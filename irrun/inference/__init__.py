"""Type and shape inference, including the values of shape arithmetic."""

from irrun.inference.facts import Facts
from irrun.inference.infer import infer, infer_node

__all__ = ["Facts", "infer", "infer_node"]
