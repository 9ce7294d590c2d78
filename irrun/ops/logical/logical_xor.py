from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.logical.base import Logical

_PAGE = "logical-xor-1"


@op("LogicalXor", opset=1, page=_PAGE)
class LogicalXor1(Logical):
    """Whether exactly one of two elements is true.

    Note: OpenVINO writes it as of opset2, and reads it as of opset1 too.
    """

    function = np.logical_xor


@op("LogicalXor", opset=2, page=_PAGE)
class LogicalXor2(Logical):
    """Whether exactly one of two elements is true."""

    function = np.logical_xor
