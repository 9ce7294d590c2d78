"""Checks of the variables of requests."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.running import new_request, stateful


def _counted(ov: Any) -> Any:
    net = stateful(ov)
    request = net.create_infer_request()
    first, second = [request.infer([np.ones((1, 2), np.float32)])[0] for _ in range(2)]
    request.reset_state()
    return [first, second, request.infer([np.ones((1, 2), np.float32)])[0]]


def _call_keeps(ov: Any) -> Any:
    net = stateful(ov)
    ones = np.ones((1, 2), np.float32)
    results = [net(ones)[0], net(ones)[0]]
    net.reset_state()
    return [*results, net(ones)[0], net.infer_new_request(ones)[0], net(ones)[0]]


def _state_before(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    states = request.query_state()
    return [len(states), states[0].name, states[0].state.shape]


def _state_set(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.query_state()[0].state = ov.Tensor(np.array([[10, 20]], np.float32))
    result = request.infer([np.ones((1, 2), np.float32)])[0]
    return [result, request.query_state()[0].state.data]


def _state_reset(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.infer([np.ones((1, 2), np.float32)])
    request.query_state()[0].reset()
    return request.infer([np.ones((1, 2), np.float32)])[0]


def _state_data(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.infer([np.ones((1, 2), np.float32)])
    state = request.query_state()[0].state
    return [type(state).__name__, state.data, state.element_type]


STATES: dict[str, Check] = {
    "variables count": _counted,
    "call keeps variables": _call_keeps,
    "query before": _state_before,
    "set variable": _state_set,
    "reset variable": _state_reset,
    "variable data": _state_data,
    "no variables": lambda ov: new_request(ov).query_state(),
    "two requests": lambda ov: _two_requests(ov),
    "variable repr": lambda ov: [
        line.strip() for line in repr(stateful(ov).create_infer_request().query_state()[0]).splitlines()
    ],
    "set wrong shape of variable": lambda ov: _state_wrong(ov),
}


def _two_requests(ov: Any) -> Any:
    net = stateful(ov)
    a, b = net.create_infer_request(), net.create_infer_request()
    ones = np.ones((1, 2), np.float32)
    return [a.infer([ones])[0], a.infer([ones])[0], b.infer([ones])[0]]


def _state_wrong(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.query_state()[0].state = np.zeros((1, 2), np.float32)
    return "accepted"


CHECKS = {**STATES}
