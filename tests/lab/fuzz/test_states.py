"""Random sequences of calls of the API: outputs stay right, and errors are those that are documented."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import irrun.model
from irrun.diagnostics import IRError
from irrun.document.writer import Writer
from irrun.model import InputError
from irrun.model.config import ConfigError
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32

ROWS = st.integers(0, 6)
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "OPTIMIZE": st.booleans(),
        "MAX_MEMORY": st.sampled_from(["100", "1MiB", None]),
        "MAX_ITERATIONS": st.sampled_from([1, 10, None]),
        "TIMEOUT": st.sampled_from([60, None]),
        "LOW_MEMORY": st.booleans(),
        "TIER": st.just("numpy"),
    },
)


def running_sum() -> irrun.model.Loaded:
    """Return the model of ``running_sum_as_written``."""
    ir = running_sum_as_written()
    return irrun.model.load(ir.text.encode(), ir.weights)


def running_sum_as_written() -> Writer:
    """total = total + x, starting from zero; the output is (total, x @ transposed x)."""
    ir = Writer("sum")
    shape = Shape.parse("?,3")
    x = ir.parameter("x", F32, shape)
    zero = ir.constant(np.zeros((1, 3), np.float32), F32)
    variable = {"variable_id": "total", "variable_type": "f32", "variable_shape": "?,3"}
    before = ir.layer("ReadValue", "opset6", [zero], [Fact(F32, shape)], variable, name="before")[0]
    total = ir.layer("Add", "opset1", [before, x], [Fact(F32, shape)])[0]
    ir.layer("Assign", "opset6", [total], [Fact(F32, shape)], {"variable_id": "total"})
    attributes = {"transpose_a": "false", "transpose_b": "true"}
    square = ir.layer("MatMul", "opset1", [x, x], [Fact(F32, Shape.parse("?,?"))], attributes, name="square")[0]
    ir.result(total)
    ir.result(square)
    return ir


class Calls(RuleBasedStateMachine):
    """A model, a compiled model, a request, and what the request should hold."""

    @initialize()
    def read(self) -> None:
        self.model = running_sum()
        self.rows: int | None = None
        self.compiled: irrun.model.Compiled | None = None
        self.request: irrun.model.Session | None = None
        self.total: Any = np.zeros((1, 3), np.float32)
        self.budget = ""

    @rule(rows=ROWS | st.none())
    def reshape(self, rows: int | None) -> None:
        self.model = self.model.reshaped([-1 if rows is None else rows, 3])
        self.rows = rows

    @rule(shape=st.sampled_from([[2, 4], [5, 3, 4], "no shape", {"y": [1, 3]}]))
    def reshape_wrongly(self, shape: Any) -> None:
        with pytest.raises((IRError, InputError, ValueError)):
            self.model = self.model.reshaped(shape)

    @rule(config=CONFIGS)
    def compile(self, config: dict[str, Any]) -> None:
        try:
            self.compiled = irrun.model.build(self.model, config)
        except IRError as error:
            codes = [item.code for item in error.diagnostics]
            assert codes == ["IR804"]
            return
        self.compiled_rows, self.request = self.rows, self.compiled.session()
        self.total = np.zeros((1, 3), np.float32)

    @rule(config=st.sampled_from([{"OPTIMISE": 1}, {"MAX_MEMORY": -1}, {"TIMEOUT": "x"}, {"TIER": "gpu"}]))
    def compile_wrongly(self, config: dict[str, Any]) -> None:
        with pytest.raises(ConfigError):
            irrun.model.build(self.model, config)

    @precondition(lambda self: self.request is not None)
    @rule(rows=ROWS, seed=st.integers(0, 9))
    def infer(self, rows: int, seed: int) -> None:
        assert self.request is not None
        x = np.random.default_rng(seed).integers(-9, 9, (rows, 3)).astype(np.float32)
        try:
            total, square = self.request.run({"x": x}).to_tuple()
        except InputError:
            assert self.compiled_rows not in (None, rows)
            return
        except IRError as error:
            codes = {item.code for item in error.diagnostics}
            assert codes <= {"IR304", "IR802", "IR804"}
            return
        np.testing.assert_array_equal(square, x @ x.T)
        self.total = self.total + x
        np.testing.assert_array_equal(total, self.total)

    @precondition(lambda self: self.request is not None)
    @rule(value=st.sampled_from([None, {}, [1, 2, 3], {"x": "text"}, {"y": 1}, [[1.0, 2.0], [3.0]], object()]))
    def infer_wrongly(self, value: Any) -> None:
        assert self.request is not None
        with pytest.raises(InputError):
            self.request.run(value)

    @precondition(lambda self: self.request is not None)
    @rule()
    def reset(self) -> None:
        assert self.request is not None
        self.request.state.reset()
        self.total = np.zeros((1, 3), np.float32)

    @invariant()
    def variables_are_those_of_the_request(self) -> None:
        if getattr(self, "request", None) is not None:
            for value in self.request.state.values.values():  # type: ignore[union-attr]
                np.testing.assert_array_equal(value, self.total)


TestCalls = Calls.TestCase
TestCalls.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
