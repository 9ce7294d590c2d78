from __future__ import annotations

from typing import Literal

from irrun.kernels.poisson import sample_poisson
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import BF16, F16, F32, F64

T = TypeVar("T", frozenset({BF16, F16, F32, F64}))


@op("RandomPoisson", opset=17)
class RandomPoisson(Op):
    """A random number from the Poisson distribution with each of the given rates.

    The seeds determine the numbers, by the stream of RandomUniform; with two seeds of zero every run differs.
    """

    inputs = (In("input", T, "rates, not negative; rank 1 or more"),)
    outputs = (Out("output", T),)
    foldable = Fold.NEVER

    global_seed: int = attr(0, doc="the key of Philox, or the seed of the Mersenne Twister", ge=0)
    op_seed: int = attr(0, doc="the counter of Philox", ge=0)
    alignment: Literal["tensorflow", "pytorch"] = attr("tensorflow", doc="the framework whose numbers are generated")

    def infer(self, rates: Fact) -> Shape:
        if rates.rank == 0:
            raise OpError("the input is a scalar, expected rank 1 or more", input=0)
        return rates.shape

    def run(self, rates: Array) -> Array:
        if not (rates >= 0).all():
            raise OpError("a rate is negative or not a number", input=0)
        return sample_poisson(rates, self.global_seed, self.op_seed, self.alignment)
