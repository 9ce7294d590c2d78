"""Requests of one compiled model at the same time, in one process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.openvino import opset13 as ops
from irrun.runtime import Step
from irrun.tensor import Array

TIERS = ["numpy", "compiled"]


class _Meeting:
    """An observer that waits in the first step until a second inference is in its first step as well."""

    def __init__(self, barrier: threading.Barrier) -> None:
        self._barrier = barrier
        self._has_met = False

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:  # noqa: ARG002
        if not self._has_met:
            self._has_met = True
            self._barrier.wait(timeout=60)

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        pass


def _network() -> irrun.Model:
    """Two products of matrices with weights that depend on nothing random."""
    x = ops.parameter([1, 64], np.float32, name="x")
    weights = np.sin(np.arange(64 * 64, dtype=np.float32)).reshape(64, 64)
    hidden = ops.relu(ops.matmul(x, weights, False, False))
    return irrun.Model([ops.matmul(hidden, weights.T.copy(), False, False)], [x], "net")


def _inputs(count: int) -> list[Array]:
    return [np.cos(np.arange(64, dtype=np.float32) + index)[None] for index in range(count)]


def _compiled(tier: str, **settings: Any) -> irrun.CompiledModel:
    if tier == "compiled":
        pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")
    return irrun.compile_model(_network(), "CPU", {"TIER": tier, **settings})


@pytest.mark.parametrize("tier", TIERS)
def test_two_requests_run_at_once(tier: str) -> None:
    compiled, barrier = _compiled(tier), threading.Barrier(2)
    requests = [compiled.create_infer_request() for _ in range(2)]
    for request, values in zip(requests, _inputs(2), strict=True):
        request.observers.append(_Meeting(barrier))
        request.start_async([values])
    for request in requests:
        request.wait()
    assert not barrier.broken


@pytest.mark.parametrize("tier", TIERS)
def test_two_jobs_of_a_queue_run_at_once(tier: str) -> None:
    queue, barrier = irrun.AsyncInferQueue(_compiled(tier), 2), threading.Barrier(2)
    for request in queue:
        request.observers.append(_Meeting(barrier))
    for values in _inputs(2):
        queue.start_async([values])
    queue.wait_all()
    assert not barrier.broken


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("hint", ["LATENCY", "THROUGHPUT"])
def test_a_queue_of_sixteen_is_right(tier: str, hint: str) -> None:
    compiled, inputs = _compiled(tier, PERFORMANCE_HINT=hint), _inputs(160)
    expected = [compiled([values])[0].copy() for values in inputs]
    queue, found = irrun.AsyncInferQueue(compiled, 16), dict[int, Array]()

    def done(request: irrun.InferRequest, index: int) -> None:
        found[index] = request.get_output_tensor().data.copy()

    queue.set_callback(done)
    for index, values in enumerate(inputs):
        queue.start_async([values], index)
    queue.wait_all()
    for index, array in enumerate(expected):
        np.testing.assert_allclose(found[index], array, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("tier", TIERS)
def test_sixteen_threads_with_requests_of_their_own_are_right(tier: str) -> None:
    compiled, inputs = _compiled(tier, NUM_STREAMS=2), _inputs(16)
    expected = [compiled([values])[0].copy() for values in inputs]
    wrong: list[int] = []

    def work(index: int) -> None:
        request = compiled.create_infer_request()
        for _ in range(25):
            if not np.allclose(request.infer([inputs[index]])[0], expected[index], rtol=1e-5, atol=1e-5):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 1),
        ({"PERFORMANCE_HINT": "LATENCY"}, 1),
        ({"NUM_STREAMS": 3}, 3),
        ({"NUM_STREAMS": "AUTO", "INFERENCE_NUM_THREADS": 4}, 4),
        ({"PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_NUM_THREADS": 4}, 4),
        ({"PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_NUM_THREADS": 4, "PERFORMANCE_HINT_NUM_REQUESTS": 2}, 2),
    ],
)
def test_requests_at_once(settings: dict[str, Any], count: int) -> None:
    compiled = irrun.compile_model(_network(), "CPU", settings)
    assert compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == count
    assert len(irrun.AsyncInferQueue(compiled)) == count


def test_a_queue_accepts_inputs_after_wrong_ones() -> None:
    queue = irrun.AsyncInferQueue(_compiled("numpy"), 1)
    with pytest.raises(irrun.InputError, match="expected"):
        queue.start_async([np.zeros((1, 3), np.float32)])
    queue.start_async(_inputs(1))
    queue.wait_all()
    assert queue[0].get_output_tensor().shape == [1, 64]


def test_profile_and_latency_are_of_the_last_inference() -> None:
    request = _compiled("numpy", PERF_COUNT=True).create_infer_request()
    for values in _inputs(2):
        request.infer([values])
    assert request.latency > 0
    total = sum(item.real_time.total_seconds() for item in request.profiling_info)
    assert 0 < total * 1000 <= request.latency
