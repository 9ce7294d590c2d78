"""What the logical operations have in common."""

from __future__ import annotations

from irrun.ops import In, Out
from irrun.ops.arithmetic.elementwise import Binary
from irrun.tensor.element_type import BOOLEAN


class Logical(Binary):
    """A logical connective of two boolean elements, broadcast as ``auto_broadcast`` says."""

    inputs = (In("a", BOOLEAN), In("b", BOOLEAN))
    outputs = (Out("output", BOOLEAN),)
