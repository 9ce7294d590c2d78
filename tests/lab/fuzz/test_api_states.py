"""Random sequences of calls of the Python API on a model and two requests, on both tiers."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import irrun
from irrun.tensor import Array
from tests.lab.fuzz.test_states import running_sum_as_written

NUMBERS = st.integers(0, 1)
ROWS = st.integers(1, 4)
SEEDS = st.integers(0, 9)


def compiled(self: Requests) -> bool:
    return bool(self.requests)


class Requests(RuleBasedStateMachine):
    """A model, and two requests of a compiled model with the inputs and the totals that they hold."""

    @initialize()
    def read(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="irrun-states-"))
        running_sum_as_written().save(self.folder / "model.xml")
        self.model = irrun.read_model(self.folder / "model.xml")
        self.rows: int | None = None
        self.added = False
        self.requests: list[irrun.InferRequest] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule(rows=ROWS | st.none())
    def reshape(self, rows: int | None) -> None:
        self.model.reshape([-1 if rows is None else rows, 3])
        self.rows = rows

    @rule(shape=st.sampled_from([[2, 4], [5, 3, 4], {"y": [1, 3]}]))
    def reshape_wrongly(self, shape: Any) -> None:
        with pytest.raises(RuntimeError):
            self.model.reshape(shape)

    @precondition(lambda self: not self.added)
    @rule()
    def add_outputs(self) -> None:
        self.model.add_outputs(("before", 0))
        self.added = True

    @rule()
    def save_and_read(self) -> None:
        irrun.save_model(self.model, self.folder / "saved.xml", compress_to_fp16=False)
        self.model = irrun.read_model(self.folder / "saved.xml")

    @rule(tier=st.sampled_from(["numpy", "compiled"]))
    def compile(self, tier: str) -> None:
        made = irrun.compile_model(self.model, "CPU", {"TIER": tier})
        self.requests = [made.create_infer_request() for _ in range(2)]
        self.given: list[Array | None] = [None, None]
        self.totals: list[Array] = [np.zeros((1, 3), np.float32) for _ in range(2)]
        self.compiled_rows, self.outputs = self.rows, 2 + self.added

    @precondition(compiled)
    @rule(number=NUMBERS, rows=ROWS, seed=SEEDS)
    def set_tensor(self, number: int, rows: int, seed: int) -> None:
        rows = self.compiled_rows or rows
        x = np.random.default_rng(seed).integers(-9, 9, (rows, 3)).astype(np.float32)
        self.requests[number].set_tensor("x", irrun.Tensor(x))
        self.given[number] = x

    @precondition(compiled)
    @rule(number=NUMBERS)
    def set_tensor_wrongly(self, number: int) -> None:
        with pytest.raises(RuntimeError):
            self.requests[number].set_tensor("x", irrun.Tensor(np.zeros((2, 4), np.float32)))

    @precondition(compiled)
    @rule(number=NUMBERS)
    def infer(self, number: int) -> None:
        x = self.given[number]
        if x is None:
            return
        total = self.totals[number]
        fits = total.shape[0] in (1, x.shape[0]) or x.shape[0] == 1
        try:
            outputs = self.requests[number].infer()
        except RuntimeError:
            assert not fits
            return
        assert fits
        assert len(outputs) == self.outputs
        self.totals[number] = total + x
        np.testing.assert_array_equal(outputs[0], self.totals[number])
        np.testing.assert_array_equal(outputs[1], x @ x.T)
        if self.outputs > 2:
            np.testing.assert_array_equal(outputs[2], total)

    @precondition(compiled)
    @rule(number=NUMBERS)
    def reset(self, number: int) -> None:
        self.requests[number].reset_state()
        self.totals[number] = np.zeros((1, 3), np.float32)


TestRequests = Requests.TestCase
TestRequests.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
