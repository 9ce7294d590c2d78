from __future__ import annotations

from collections.abc import Mapping

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, op
from irrun.ops._declared.infrastructure.iteration import infer_loop, run_loop
from irrun.ops.context import BodyCall
from irrun.tensor import DYNAMIC
from irrun.tensor.element_type import ANY, BOOLEAN, I32, I64


@op("Loop", opset=5)
class Loop(Op):
    """Run a sub-graph repeatedly while its condition is true, carrying values from one iteration to the next."""

    inputs = (
        In("trip_count", frozenset({I32, I64}), "maximum number of iterations; -1 for no limit", rank=(0, 1)),
        In("execution_condition", BOOLEAN, "whether to run the first iteration", rank=(0, 1)),
        In("inputs", ANY, "inputs of the body by the port map, whole or in slices", variadic=True, optional=True),
    )
    outputs = (Out("outputs", ANY, variadic=True),)
    bodies = ("body",)
    foldable = Fold.NEVER

    def infer(
        self, trip_count: Fact, condition: Fact, *inputs: Fact, bodies: Mapping[str, BodyCall]
    ) -> tuple[Fact, ...]:
        body = bodies["body"]
        end = _condition(body)
        for port, fact in enumerate((trip_count, condition)):
            _check_scalar(fact, f"input {port}", port)
        for entry in body.ports.inputs:
            if entry.external is None:
                _check_counter(body.parameters[entry.internal])

        def iterations(results: tuple[Fact, ...]) -> Dim:
            if end is not None:
                _check_scalar(results[end], "the condition of the body", None)
            begin = None if condition.constant is None else bool(condition.constant.reshape(-1)[0])
            if begin is False:
                return Dim.exactly(0)
            most = trip_count.dims()
            limit = most[0] if most is not None and len(most) == 1 else Dim.anything()
            going = None if end is None or results[end].constant is None else results[end].constant
            if end is None or (going is not None and bool(going.reshape(-1)[0])):
                if begin and limit.hi < 0:
                    raise OpError(
                        f"the loop never ends: trip_count is {limit} and its condition is always true", input=0
                    )
                known = limit if limit.lo >= 0 else Dim()
                return known if begin else known.union(Dim.exactly(0))
            least = 1 if begin and (limit.lo > 0 or limit == -1) else 0
            if going is not None:
                return Dim(least, 1)
            return Dim(least, limit.hi) if limit.lo >= 0 else Dim()

        return infer_loop(body, (trip_count, condition, *inputs), iterations)

    def run(
        self, trip_count: Array, condition: Array, *inputs: Array, bodies: Mapping[str, BodyCall]
    ) -> tuple[Array, ...]:
        body = bodies["body"]
        most, begin = int(trip_count.reshape(-1)[0]), bool(condition.reshape(-1)[0])
        return run_loop(body, (trip_count, condition, *inputs), most, _condition(body), begin)


def _condition(body: BodyCall) -> int | None:
    return next((entry.internal for entry in body.ports.outputs if entry.external is None), None)


def _check_scalar(fact: Fact, subject: str, port: int | None) -> None:
    if not _may_have_one_element(fact):
        raise OpError(f"{subject} has shape {fact.shape}, expected one element", input=port)


def _check_counter(parameter: Fact) -> None:
    if parameter.type not in (I32, I64, DYNAMIC) or not _may_have_one_element(parameter):
        raise OpError(f"the Parameter for the iteration number is {parameter}, expected one element of i32 or i64")


def _may_have_one_element(fact: Fact) -> bool:
    return fact.shape.rank is None or fact.shape.size.admits(1)
