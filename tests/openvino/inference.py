"""Checks of calls of requests, queues and variables, and on results."""

from __future__ import annotations

import copy
import threading
import time
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.models import counter, pair, small
from tests.openvino.running import A, B, X, compiled, stateful, two

F = np.float32


def _started(ov: Any, how: Any, net: Any = None) -> Any:
    request = (net or compiled)(ov).create_infer_request()
    found = how(request)
    request.wait()
    return [found, request.get_output_tensor().data]


def _callback(ov: Any, make: Any) -> Any:
    request = compiled(ov).create_infer_request()
    seen: list[Any] = []
    make(request, seen)
    request.start_async(X)
    request.wait()
    return seen


def _two_models(ov: Any) -> Any:
    net = two(ov)
    requests = [net.create_infer_request() for _ in range(4)]
    for number, request in enumerate(requests):
        request.start_async({0: A * number, 1: B})
    for request in requests:
        request.wait()
    return [request.get_output_tensor(1).data for request in requests]


def _threads(ov: Any) -> Any:
    net, found = compiled(ov), {}

    def work(number: int) -> None:
        request = net.create_infer_request()
        for _ in range(10):
            found[number] = request.infer([X * number])[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return [found[number] for number in range(16)]


def _write_view(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    view = request.get_tensor("x").data
    view[:] = X
    request.infer()
    first = request.get_tensor("y").data.copy()
    view[:] = X * 2
    request.infer()
    return [first, request.get_tensor("y").data]


def _tensor_reused(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    array = X.copy()
    request.set_tensor("x", ov.Tensor(array, shared_memory=True))
    request.infer()
    first = request.get_output_tensor().data.copy()
    array[:] = 10
    request.infer()
    return [first, request.get_output_tensor().data]


def _resized(ov: Any) -> Any:
    request = compiled(ov, "-1,3").create_infer_request()
    request.get_input_tensor().shape = [2, 3]
    request.get_input_tensor().data[:] = 1
    request.infer()
    return request.get_output_tensor().data


def _kept_data(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    request.infer([X])
    view = request.get_output_tensor().data
    request.infer([X * 10])
    return [view, request.get_output_tensor().data]


def _chained(ov: Any) -> Any:
    one, other = (compiled(ov).create_infer_request() for _ in range(2))
    other.set_input_tensor(one.get_output_tensor())
    one.infer([X])
    other.infer()
    return other.get_output_tensor().data


def _state_changed(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.infer([np.ones((1, 2), F)])
    for state in request.query_state():
        state.state = ov.Tensor(state.state.data * 10)
    return [request.infer([np.ones((1, 2), F)])[0], request.query_state()[0].state.data]


def _profiled(ov: Any) -> Any:
    request = ov.Core().compile_model(small(ov), "CPU", {"PERF_COUNT": "YES"}).create_infer_request()
    request.infer([X])
    info = request.get_profiling_info()[0]
    return [
        type(info.node_name).__name__,
        type(info.node_type).__name__,
        type(info.exec_type).__name__,
        info.status in (info.Status.EXECUTED, info.Status.NOT_RUN, info.Status.OPTIMIZED_OUT),
        type(info.real_time).__name__,
    ]


REQUESTS: dict[str, Check] = {
    "start and wait": lambda ov: _started(ov, lambda r: r.start_async([X])),
    "start with array": lambda ov: _started(ov, lambda r: r.start_async(X)),
    "start with dict": lambda ov: _started(ov, lambda r: r.start_async({0: X})),
    "start shared": lambda ov: _started(ov, lambda r: r.start_async({0: X}, share_inputs=True)),
    "start with tensor set": lambda ov: _started(ov, lambda r: [r.set_input_tensor(ov.Tensor(X)), r.start_async()][1]),
    "start with userdata": lambda ov: _started(ov, lambda r: [r.start_async([X], userdata=5), r.userdata][1]),
    "callback of two": lambda ov: _callback(ov, lambda r, seen: r.set_callback(lambda data: seen.append(data), 7)),
    "callback without data": lambda ov: _callback(
        ov, lambda r, seen: r.set_callback(lambda data: seen.append(data), None)
    ),
    "callback of wrong arity": lambda ov: _callback(ov, lambda r, seen: r.set_callback(lambda: seen.append(1), None)),
    "callback of nothing": lambda ov: _callback(ov, lambda r, seen: r.set_callback(None, None)),
    "callback by keyword": lambda ov: _callback(ov, lambda r, seen: r.set_callback(callback=seen.append, userdata=1)),
    "several requests": _two_models,
    "sixteen threads": _threads,
    "view of tensor": _write_view,
    "tensor shared with array": _tensor_reused,
    "tensor resized": _resized,
    "view of output": _kept_data,
    "chained requests": _chained,
    "changed state": _state_changed,
    "profiled layer": _profiled,
    "state of other name": lambda ov: [item.name for item in stateful(ov).create_infer_request().query_state()],
    "state shared": lambda ov: _state_written(ov),
    "infer twice": lambda ov: [
        request.infer({"x": X})[0] if (request := compiled(ov).create_infer_request()) else 0 for _ in range(2)
    ],
    "infer keeps inputs": lambda ov: (lambda r: [r.infer([X])[0], r.infer()[0]])(compiled(ov).create_infer_request()),
    "infer part of inputs": lambda ov: (lambda r: [r.infer([A, B])[0], r.infer({1: A})[0]])(
        two(ov).create_infer_request()
    ),
    "call by mixed keys": lambda ov: two(ov)({"a": A, 1: B})[0],
    "call by set names": lambda ov: two(ov)({frozenset({"a"}): A}),
    "call with None": lambda ov: compiled(ov)(None)[0].shape,
    "call with dict of None": lambda ov: compiled(ov)({"x": None}),
    "call with empty dict": lambda ov: compiled(ov)({})[0].shape,
    "call with empty list": lambda ov: compiled(ov)([])[0].shape,
    "call with numbers": lambda ov: compiled(ov, "")(5.0)[0],
    "call with int for float": lambda ov: compiled(ov, "")(5)[0],
    "call with bool array": lambda ov: compiled(ov)(np.array([[True, False, True]]))[0],
    "call with half": lambda ov: compiled(ov)(X.astype(np.float16))[0],
    "call with float64 dict": lambda ov: compiled(ov)({"x": X.astype(np.float64)})[0],
    "call with transposed": lambda ov: compiled(ov, "3,3")(np.arange(9, dtype=F).reshape(3, 3).T)[0],
    "call with sliced": lambda ov: compiled(ov)(np.arange(6, dtype=F).reshape(1, 6)[:, ::2])[0],
    "call with read only": lambda ov: compiled(ov)(np.frombuffer(X.tobytes(), F).reshape(1, 3))[0],
    "call with subclass": lambda ov: compiled(ov)(np.asmatrix(X))[0],
    "call with tensors in list": lambda ov: two(ov)([ov.Tensor(A), ov.Tensor(B)])[0],
    "call with mixed list": lambda ov: two(ov)([ov.Tensor(A), B])[1],
    "call with list of numbers": lambda ov: compiled(ov, "3")([1.0, 2.0, 3.0])[0],
    "call with list of two": lambda ov: two(ov)([1.0, 2.0]),
    "call with wrong tensor": lambda ov: compiled(ov)(ov.Tensor(np.zeros((1, 3), np.int8))),
    "call share outputs": lambda ov: compiled(ov)(X, share_outputs=True)[0],
    "call no sharing": lambda ov: compiled(ov)(X, share_inputs=False)[0],
    "call with unknown keyword": lambda ov: compiled(ov)(X, sharing=True),
    "results to tuple": lambda ov: two(ov)([A, B]).to_tuple(),
    "results to dict": lambda ov: [(port.get_any_name(), value) for port, value in two(ov)([A, B]).to_dict().items()],
    "results names and order": lambda ov: [sorted(names) for names in two(ov)([A, B]).names()],
    "results by compiled port": lambda ov: (lambda net: net([A, B])[net.output(1)])(two(ov)),
    "results of other model": lambda ov: two(ov)([A, B])[compiled(ov).output(0)],
    "results in values": lambda ov: next(iter(two(ov)([A, B]).values())),
    "results last": lambda ov: two(ov)([A, B])[-1],
    "results equality": lambda ov: [two(ov)([A, B]) == 5, bool(two(ov)([A, B]))],
    "results assign": lambda ov: two(ov)([A, B]).__setitem__(0, A),
    "results by numpy integer": lambda ov: two(ov)([A, B])[np.int64(1)],
    "queue map": lambda ov: _queued(ov),
    "queue of userdata": lambda ov: _queue_data(ov),
    "queue of nothing": lambda ov: ov.AsyncInferQueue(compiled(ov), -1),
    "queue of text": lambda ov: ov.AsyncInferQueue("text", 1),
    "queue wait empty": lambda ov: ov.AsyncInferQueue(compiled(ov), 2).wait_all(),
    "queue item after": lambda ov: _queue_item(ov),
    "queue wrong shape": lambda ov: _queue_wrong(ov),
    "queue callback of one": lambda ov: _queue_arity(ov),
    "cancel started": lambda ov: _cancelled(ov),
    "wait for short": lambda ov: _waited(ov),
    "cancel and wait": lambda ov: _cancel_and_wait(ov),
    "busy": lambda ov: _busy(ov),
    "latency is positive": lambda ov: (lambda r: [r.infer([X]), r.latency > 0][1])(compiled(ov).create_infer_request()),
    "latency before": lambda ov: compiled(ov).create_infer_request().latency,
    "input tensors list": lambda ov: [item.shape for item in two(ov).create_infer_request().input_tensors],
    "request of copied": lambda ov: copy.copy(compiled(ov).create_infer_request()),
    "request outputs alias": lambda ov: [port.any_name for port in two(ov).create_infer_request().model_outputs],
    "request inputs": lambda ov: two(ov).create_infer_request().inputs,
    "set tensor of output port": lambda ov: _output_port(ov),
    "set output misfit": lambda ov: compiled(ov).create_infer_request().set_output_tensor(ov.Tensor(A)),
    "set tensors of both": lambda ov: _both(ov),
    "model variables": lambda ov: [item.info.variable_id for item in counter(ov).get_variables()],
    "model of two outputs": lambda ov: [sorted(port.names) for port in pair(ov).outputs],
}


def _state_written(ov: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.query_state()[0].state.data[:] = 5
    return request.infer([np.ones((1, 2), F)])[0]


def _queued(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 4)
    found: dict[int, Any] = {}

    def done(request: Any, number: int) -> None:
        time.sleep(0.001)
        found[number] = request.get_output_tensor().data.copy()

    queue.set_callback(done)
    for number in range(16):
        queue.start_async(X * number, number)
    queue.wait_all()
    return [found[number] for number in range(16)]


def _queue_data(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 1)
    queue.start_async([X], userdata={"id": 3})
    queue.wait_all()
    return [queue.userdata, queue[0].results[0], queue[0].latency > 0]


def _queue_item(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 1)
    queue.start_async([X])
    queue.wait_all()
    return [queue[0].get_output_tensor().data, queue.is_ready(), queue.get_idle_request_id()]


def _queue_wrong(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 1)
    queue.start_async([np.zeros((1, 9), F)])
    queue.wait_all()


def _queue_arity(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 1)
    queue.set_callback(lambda request: None)
    queue.start_async([X])
    queue.wait_all()


def _cancelled(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    request.infer([X])
    request.cancel()
    request.infer([X])
    return request.get_output_tensor().data


def _waited(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    request.start_async([X])
    request.wait()
    return request.wait_for(1)


def _slow(ov: Any) -> Any:
    parameter = ov.opset13.parameter([600, 600], F, name="x")
    node = parameter
    for _ in range(12):
        node = ov.opset13.tanh(ov.opset13.matmul(node, parameter, False, False))
    request = ov.Core().compile_model(ov.Model([node], [parameter], "slow"), "CPU").create_infer_request()
    request.start_async([np.full((600, 600), 0.001, F)])
    return request


def _cancel_and_wait(ov: Any) -> Any:
    request = _slow(ov)
    request.cancel()
    found = []
    for _ in range(2):
        try:
            request.wait()
        except RuntimeError:
            found.append("cancelled")
    request.infer()
    return [*found, request.get_output_tensor().shape]


def _busy(ov: Any) -> Any:
    request, found = _slow(ov), []
    for name in ("infer", "start_async", "get_output_tensor", "query_state", "get_profiling_info"):
        try:
            getattr(request, name)()
        except RuntimeError:
            found.append(name)
    return [found, request.wait_for(0), request.wait(), request.wait_for(0)]


def _output_port(ov: Any) -> Any:
    net = compiled(ov)
    request, target = net.create_infer_request(), np.zeros((1, 3), F)
    request.set_tensor(net.output(0), ov.Tensor(target, shared_memory=True))
    request.infer([X])
    return target


def _both(ov: Any) -> Any:
    request, target = compiled(ov).create_infer_request(), np.zeros((1, 3), F)
    request.set_tensors({"x": ov.Tensor(X), "y": ov.Tensor(target, shared_memory=True)})
    request.infer()
    return target


CHECKS: dict[str, Check] = {f"inference, {name}": check for name, check in REQUESTS.items()}
