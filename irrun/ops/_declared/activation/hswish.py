from __future__ import annotations

from irrun.kernels.activation import hswish
from irrun.ops import op
from irrun.ops._declared.activation.elementwise import Activation


@op("HSwish", opset=4, page="hswish-4")
class HSwish(Activation):
    """Hard version of Swish: x * min(max(x + 3, 0), 6) / 6."""

    function = hswish
