from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from irrun.ops import Array, Op
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.blame import runner
from irrun.ops.calling import padded


@fused("FusedElementwise")
class FusedElementwise(Fused):
    """A tree of element-wise layers, in the order of execution.

    Their operands are numbers: first the inputs, then the results of layers, each of which one layer reads.
    """

    reads_slices = True

    layers: tuple[Op, ...]
    _operands: tuple[tuple[int, ...], ...]

    def run(self, *inputs: Array) -> Array:
        result: Array = self.evaluate(lambda layer, *operands: runner(layer)(*padded(layer, operands)), inputs)
        return result

    def evaluate(self, compute: Callable[..., Any], inputs: Iterable[Any]) -> Any:
        """Return the result, given what computes a layer of its operands."""
        values = dict(enumerate(inputs))
        count = len(values)
        for place, (layer, numbers) in enumerate(zip(self.layers, self._operands, strict=True), start=count):
            operands = [values[number] if number < count else values.pop(number) for number in numbers]
            values[place] = compute(layer, *operands)
        return values.popitem()[1]
