"""Shape and type propagation, with the values that shape arithmetic yields."""

from irrun.inference.facts import Facts
from irrun.inference.infer import infer

__all__ = ["Facts", "infer"]
