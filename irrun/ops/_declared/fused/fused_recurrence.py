from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from irrun.kernels.recurrent import Cell, DirectionWeights, StepWeights, run_directions
from irrun.ops import Array, Fact, Out
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import ANY


@fused("FusedRecurrence")
class FusedRecurrence(Fused):
    """A recurrent sequence with constant weights, which are rearranged once.

    Inputs are data [batch, steps, size], one or two states [batch, directions, hidden], and the lengths [batch]. The
    outputs, all hidden states [batch, directions, steps, hidden] and each final state, have the ``facts``. Hidden
    states are stored step by step.
    """

    outputs = (Out("Y", ANY), Out("states", ANY, variadic=True))  # type: ignore[assignment]

    cell: Cell
    weights: tuple[DirectionWeights, ...]
    reverse: tuple[bool, ...]

    def __init__(
        self, facts: Sequence[Fact], cell: Cell, weights: Sequence[DirectionWeights], reverse: Sequence[bool]
    ) -> None:
        super().__init__(fact=facts[0])
        self.facts = tuple(Fact(fact.type, fact.shape) for fact in facts)
        self.cell = cell
        self.weights = tuple(weights)
        self.reverse = tuple(reverse)
        self.passes = [StepWeights(cell, own) for own in weights]

    @property
    def precision(self) -> str:
        """The name of the type that operands of products are rounded to."""
        return self.cell.precision

    def in_precision(self, precision: ElementType) -> FusedRecurrence:
        """Return the operation with rounded weights, which rounds what it multiplies by them."""
        weights = [own.rounded(precision.name) for own in self.weights]
        return FusedRecurrence(
            facts=self.facts, cell=replace(self.cell, precision=precision.name), weights=weights, reverse=self.reverse
        )

    def infer(self, *inputs: Fact | None) -> tuple[Fact, ...]:  # type: ignore[override]
        return self.facts

    def multiply_adds(self, sizes: Sizes) -> int:
        batch, steps, _ = sizes.inputs[0]
        return batch * steps * sum(own.w.size + own.r.size for own in self.weights)

    def run(self, x: Array, *others: Array) -> tuple[Array, ...]:
        *states, lengths = others
        return run_directions(self.passes, x, states, lengths, self.reverse)
