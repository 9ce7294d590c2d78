from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, op
from irrun.ops.context import BodyCall, BodyPorts
from irrun.tensor import DYNAMIC
from irrun.tensor.element_type import ANY, BOOLEAN


@op("If", opset=8)
class If(Op):
    """Run one of two sub-graphs, selected by a condition."""

    inputs = (
        In("cond", BOOLEAN, "one element: true selects then_body", rank=(0, 1)),
        In("inputs", ANY, "inputs of the sub-graphs", variadic=True, optional=True),
    )
    outputs = (Out("outputs", ANY, variadic=True),)
    bodies = ("then_body", "else_body")
    foldable = Fold.NEVER

    def infer(self, cond: Fact, *inputs: Fact, bodies: Mapping[str, BodyCall]) -> tuple[Fact, ...]:
        for body in bodies.values():
            body.only_of_loops(self.type)
        results = {
            tag: _outputs(body, body.call(_parameters(body.ports, (cond, *inputs)))) for tag, body in bodies.items()
        }
        if cond.constant is not None and cond.constant.size == 1:
            return results["then_body" if cond.constant.reshape(-1)[0] else "else_body"]
        counts = [len(facts) for facts in results.values()]
        if counts[0] != counts[-1]:
            raise OpError(f"the bodies return {counts[0]} and {counts[-1]} outputs, expected the same number")
        return tuple(union(a, b) for a, b in zip(results["then_body"], results["else_body"], strict=True))

    def run(self, cond: Array, *inputs: Array, bodies: Mapping[str, BodyCall]) -> tuple[Array, ...]:
        body = bodies["then_body" if cond.reshape(-1)[0] else "else_body"]
        return _outputs(body, body.call(_parameters(body.ports, (cond, *inputs))))


def union(a: Fact, b: Fact) -> Fact:
    """Return the fact of a tensor that is one or the other."""
    return Fact(a.type if a.type is b.type else DYNAMIC, a.shape.union(b.shape))


def _parameters(ports: BodyPorts, inputs: tuple[Any, ...]) -> list[Any]:
    parameters: list[Any] = [None] * ports.parameters
    for entry in ports.inputs:
        if entry.external is None or entry.external >= len(inputs):
            raise OpError(f"the port map uses input {entry.external}, which is not connected")
        parameters[entry.internal] = inputs[entry.external]
    return parameters


def _outputs(body: BodyCall, results: tuple[Any, ...]) -> tuple[Any, ...]:
    entries = sorted(body.ports.outputs, key=lambda entry: entry.external or 0)
    return tuple(results[entry.internal] for entry in entries)
