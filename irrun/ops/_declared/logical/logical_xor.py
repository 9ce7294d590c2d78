from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.logical.base import Logical

_PAGE = "logical-xor-1"


@op("LogicalXor", opset=1, page=_PAGE)
class LogicalXor1(Logical):
    """Element-wise exclusive disjunction.

    Note: OpenVINO writes it as an operation of opset2, but also reads it as one of opset1.
    """

    function = np.logical_xor


@op("LogicalXor", opset=2, page=_PAGE)
class LogicalXor2(Logical):
    """Element-wise exclusive disjunction."""

    function = np.logical_xor
