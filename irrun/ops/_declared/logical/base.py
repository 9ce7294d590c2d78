"""Base class of logical operations."""

from __future__ import annotations

from irrun.ops import In, Out
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.tensor.element_type import BOOLEAN


class Logical(Binary):
    """A logical function of two boolean elements, broadcast by ``auto_broadcast``."""

    inputs = (In("a", BOOLEAN), In("b", BOOLEAN))
    outputs = (Out("output", BOOLEAN),)
