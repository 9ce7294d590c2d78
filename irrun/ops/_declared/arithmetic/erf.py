from __future__ import annotations

from irrun.kernels.erf import erf
from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Erf", opset=1)
class Erf(FloatFunction):
    """Element-wise Gauss error function.

    Note: the formula of the page has 1/π for 1/√π. The page does not define integer tensors; results are rounded to
    nearest.
    """

    function = erf
