"""The order in which a queue uses its requests."""

from __future__ import annotations

import numpy as np

import irrun.openvino as ov


def _queue(jobs: int) -> ov.AsyncInferQueue:
    x = ov.opset13.parameter([-1], np.float32)
    return ov.AsyncInferQueue(ov.compile_model(ov.Model([ov.opset13.relu(x)], [x])), jobs)


def test_the_idle_request_is_the_one_that_starts_next() -> None:
    queue = _queue(3)
    for number in range(7):
        index = queue.get_idle_request_id()
        queue.start_async([np.array([number], np.float32)], number)
        queue.wait_all()
        assert queue.userdata[index] == number
        assert queue[index].results[0].tolist() == [number]
        assert queue[index].latency > 0


def test_a_request_of_its_own_is_waited_for() -> None:
    queue = _queue(2)
    queue[1].start_async([np.ones(100_000, np.float32)])
    queue.wait_all()
    assert queue[1].results[0].sum() == 100_000
