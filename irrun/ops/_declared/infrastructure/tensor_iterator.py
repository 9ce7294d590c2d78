from __future__ import annotations

from collections.abc import Mapping

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, op
from irrun.ops._declared.infrastructure.iteration import infer_loop, run_loop, slice_count, slices_of
from irrun.ops.context import BodyCall
from irrun.tensor.element_type import ANY


@op("TensorIterator", opset=1)
class TensorIterator(Op):
    """Run a sub-graph once for each slice of its inputs, carrying values from one iteration to the next."""

    departures = {"start": "begins the first slice at element 0, whatever start is"}

    inputs = (In("inputs", ANY, "inputs of the body by the port map, whole or in slices", variadic=True),)
    outputs = (Out("outputs", ANY, variadic=True),)
    bodies = ("body",)
    foldable = Fold.NEVER

    def infer(self, *inputs: Fact, bodies: Mapping[str, BodyCall]) -> tuple[Fact, ...]:
        body = bodies["body"]
        body.only_of_loops(self.type)
        count: Dim | None = None
        for entry in body.ports.inputs:
            if entry.axis is None or entry.external is None:
                continue
            cut = slices_of(entry, inputs[entry.external].shape)
            merged = cut if count is None else count.merge(cut)
            if merged is None:
                raise OpError(f"the inputs are cut into {count} and into {cut} slices", input=entry.external)
            count = merged
        iterations = Dim.exactly(1) if count is None else count
        outputs = infer_loop(body, inputs, lambda _: iterations)
        for joined in body.ports.outputs:
            if joined.axis is None or joined.external is None:
                continue
            made = slices_of(joined, outputs[joined.external].shape)
            if iterations.merge(made) is None:
                raise OpError(
                    f"output {joined.external} is made of {made} slices, and there are {iterations} iterations"
                )
        return outputs

    def run(self, *inputs: Array, bodies: Mapping[str, BodyCall]) -> tuple[Array, ...]:
        body = bodies["body"]
        cut = [
            slice_count(entry, Dim.of(inputs[entry.external].shape[entry.axis])).lo
            for entry in body.ports.inputs
            if entry.axis is not None and entry.external is not None
        ]
        return run_loop(body, inputs, max(cut, default=1), None, True)
