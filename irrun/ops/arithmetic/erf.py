from __future__ import annotations

from irrun.kernels.erf import erf
from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Erf", opset=1)
class Erf(FloatFunction):
    """Element-wise Gauss error function.

    Note: the formula of the page has 1/π for 1/√π. Of an integer tensor the page says nothing; results are rounded to
    the nearest integer.
    """

    function = erf
