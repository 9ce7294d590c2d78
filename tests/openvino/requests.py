"""Checks of InferRequest and AsyncInferQueue."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.models import small
from tests.openvino.running import A, B, X, compiled, new_request, two


def _set(ov: Any, how: Any) -> Any:
    request = new_request(ov)
    how(request)
    request.infer()
    return request.get_output_tensor().data


def _set_pair(ov: Any, how: Any) -> Any:
    request = two(ov).create_infer_request()
    how(request)
    request.infer()
    return [tensor.data for tensor in request.output_tensors]


def _set_output(ov: Any, how: str) -> Any:
    request = new_request(ov)
    target = np.zeros((1, 3), np.float32)
    tensor = ov.Tensor(target, shared_memory=True)
    if how == "output":
        request.set_output_tensor(tensor)
    elif how == "index":
        request.set_output_tensor(0, tensor)
    elif how == "name":
        request.set_tensor("y", tensor)
    else:
        request.set_output_tensors({0: tensor})
    request.infer({"x": X})
    return target


def _filled(ov: Any) -> Any:
    request = new_request(ov)
    request.get_input_tensor().data[:] = X
    request.infer()
    return request.results[request.model_outputs[0]]


def _async(ov: Any) -> Any:
    request = new_request(ov)
    request.start_async({"x": X})
    request.wait()
    return [request.results[0], request.get_output_tensor().data]


def _async_callback(ov: Any) -> Any:
    request = new_request(ov)
    seen: list[Any] = []
    request.set_callback(seen.append, "data")
    request.start_async({"x": X}, userdata="mine")
    request.wait()
    return [seen, request.userdata]


def _async_wrong(ov: Any) -> Any:
    request = new_request(ov)
    request.start_async({"x": np.zeros((1, 9), np.float32)})
    request.wait()
    return "accepted"


def _callback_raises(ov: Any) -> Any:
    request = new_request(ov)

    def fail(_: Any) -> None:
        raise ValueError("on purpose")

    request.set_callback(fail, None)
    request.start_async({"x": X})
    request.wait()
    return "waited"


def _results_kept(ov: Any) -> Any:
    request = new_request(ov)
    request.infer({"x": X})
    first = request.results[0]
    return [first, sorted(port.any_name for port in request.results)]


def _profiling(ov: Any) -> Any:
    net = ov.Core().compile_model(small(ov), "CPU", {"PERF_COUNT": True})
    request = net.create_infer_request()
    request.infer({"x": X})
    info = request.profiling_info
    return [
        len(info) > 0,
        sorted({type(item.node_name).__name__ for item in info}),
        "relu_layer" in {item.node_name for item in info} or len(info) > 0,
        info[0].real_time.total_seconds() >= 0,
        type(info[0].cpu_time).__name__,
    ]


REQUESTS: dict[str, Check] = {
    "infer dict": lambda ov: new_request(ov).infer({"x": X})[0],
    "infer positional": lambda ov: new_request(ov).infer([X])[0],
    "infer array": lambda ov: new_request(ov).infer(X)[0],
    "infer nothing": lambda ov: new_request(ov).infer()[0].shape,
    "infer shared": lambda ov: new_request(ov).infer({"x": X}, share_inputs=True, share_outputs=True)[0],
    "infer wrong shape": lambda ov: new_request(ov).infer({"x": np.zeros((1, 4), np.float32)}),
    "infer unknown name": lambda ov: new_request(ov).infer({"zzz": X}),
    "infer async": _async,
    "infer async callback": _async_callback,
    "infer async wrong": _async_wrong,
    "callback raises": _callback_raises,
    "wait without start": lambda ov: new_request(ov).wait(),
    "wait for without start": lambda ov: new_request(ov).wait_for(10),
    "wait for": lambda ov: _wait_for(ov),
    "cancel": lambda ov: _cancel(ov),
    "results of request": _results_kept,
    "results before": lambda ov: len(new_request(ov).results),
    "latency": lambda ov: _latency(ov),
    "profiling": _profiling,
    "profiling off": lambda ov: new_request(ov).profiling_info,
    "userdata": lambda ov: new_request(ov).userdata,
    "compiled model of request": lambda ov: new_request(ov).get_compiled_model().inputs[0].any_name,
    "model inputs": lambda ov: [
        [port.any_name for port in new_request(ov).model_inputs],
        [port.any_name for port in new_request(ov).model_outputs],
    ],
    "input tensor": lambda ov: [
        new_request(ov).get_input_tensor().shape,
        new_request(ov).get_input_tensor(0).element_type,
        len(new_request(ov).input_tensors),
    ],
    "input tensor filled": _filled,
    "input tensor beyond": lambda ov: new_request(ov).get_input_tensor(3),
    "input tensor of dynamic": lambda ov: compiled(ov, "-1,3").create_infer_request().get_input_tensor().shape,
    "output tensor of dynamic": lambda ov: compiled(ov, "-1,3").create_infer_request().get_output_tensor().shape,
    "output tensor before": lambda ov: [new_request(ov).get_output_tensor().shape, len(new_request(ov).output_tensors)],
    "tensor by name": lambda ov: [new_request(ov).get_tensor("x").shape, new_request(ov).get_tensor("y").shape],
    "tensor by port": lambda ov: _tensor_by_port(ov),
    "tensor by unknown name": lambda ov: new_request(ov).get_tensor("zzz"),
    "set input tensor": lambda ov: _set(ov, lambda r: r.set_input_tensor(ov.Tensor(X))),
    "set input tensor by index": lambda ov: _set(ov, lambda r: r.set_input_tensor(0, ov.Tensor(X))),
    "set input tensor beyond": lambda ov: _set(ov, lambda r: r.set_input_tensor(4, ov.Tensor(X))),
    "set input array": lambda ov: _set(ov, lambda r: r.set_input_tensor(X)),
    "set tensor by name": lambda ov: _set(ov, lambda r: r.set_tensor("x", ov.Tensor(X))),
    "set tensor by port": lambda ov: _set(ov, lambda r: r.set_tensor(r.model_inputs[0], ov.Tensor(X))),
    "set tensors": lambda ov: _set(ov, lambda r: r.set_tensors({"x": ov.Tensor(X)})),
    "set input tensors": lambda ov: _set_pair(ov, lambda r: r.set_input_tensors({0: ov.Tensor(A), 1: ov.Tensor(B)})),
    "set wrong shape": lambda ov: _set(ov, lambda r: r.set_input_tensor(ov.Tensor(np.zeros((1, 4), np.float32)))),
    "set wrong type": lambda ov: _set(ov, lambda r: r.set_input_tensor(ov.Tensor(np.zeros((1, 3), np.int8)))),
    "set unknown name": lambda ov: _set(ov, lambda r: r.set_tensor("zzz", ov.Tensor(X))),
    "set output tensor": lambda ov: _set_output(ov, "output"),
    "set output tensor by index": lambda ov: _set_output(ov, "index"),
    "set output tensor by name": lambda ov: _set_output(ov, "name"),
    "set output tensors": lambda ov: _set_output(ov, "several"),
    "input tensor of several": lambda ov: two(ov).create_infer_request().get_input_tensor(),
    "request repr": lambda ov: [line.strip() for line in repr(two(ov).create_infer_request()).splitlines()],
    "busy twice": lambda ov: _twice(ov),
}


def _wait_for(ov: Any) -> Any:
    request = new_request(ov)
    request.start_async({"x": X})
    return [request.wait_for(5000), request.wait_for(0)]


def _cancel(ov: Any) -> Any:
    request = new_request(ov)
    return request.cancel()


def _latency(ov: Any) -> Any:
    request = new_request(ov)
    request.infer({"x": X})
    return [request.latency >= 0, isinstance(request.latency, float)]


def _tensor_by_port(ov: Any) -> Any:
    request = new_request(ov)
    return [
        request.get_tensor(request.model_inputs[0]).shape,
        request.get_tensor(request.model_outputs[0]).element_type,
    ]


def _twice(ov: Any) -> Any:
    request = new_request(ov)
    for scale in range(5):
        request.start_async({"x": X * scale})
        request.wait()
    return request.results[0]


def _queued(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 2)
    found: dict[Any, Any] = {}
    queue.set_callback(lambda request, number: found.update({number: request.get_output_tensor().data.copy()}))
    for number in range(6):
        queue.start_async({"x": X * number}, number)
    queue.wait_all()
    return [found[number] for number in range(6)]


def _queue_raises(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 2)

    def fail(_request: Any, _userdata: Any) -> None:
        raise ValueError("on purpose")

    queue.set_callback(fail)
    queue.start_async({"x": X})
    queue.wait_all()
    return "waited"


def _queue_results(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 3)
    for number in range(3):
        queue.start_async({0: X * number}, userdata=number)
    queue.wait_all()
    return [sorted(repr(request.results[0].tolist()) for request in queue), sorted(queue.userdata)]


def _queue_threads(ov: Any) -> Any:
    queue = ov.AsyncInferQueue(compiled(ov), 2)
    lock, total = threading.Lock(), [0]

    def count(_request: Any, number: int) -> None:
        with lock:
            total[0] += number

    queue.set_callback(count)
    for number in range(20):
        queue.start_async([X], number)
    queue.wait_all()
    return total


QUEUES: dict[str, Check] = {
    "queue": _queued,
    "queue length": lambda ov: [
        len(ov.AsyncInferQueue(compiled(ov), 3)),
        len(ov.AsyncInferQueue(compiled(ov), 0)) > 0,
        len(ov.AsyncInferQueue(compiled(ov))) > 0,
    ],
    "queue ready": lambda ov: [
        ov.AsyncInferQueue(compiled(ov), 2).is_ready(),
        ov.AsyncInferQueue(compiled(ov), 2).get_idle_request_id(),
    ],
    "queue item": lambda ov: type(ov.AsyncInferQueue(compiled(ov), 2)[0]).__name__,
    "queue raises": _queue_raises,
    "queue results": _queue_results,
    "queue threads": _queue_threads,
    "queue unknown name": lambda ov: ov.AsyncInferQueue(compiled(ov), 1).start_async({"zzz": X}),
    "queue repr": lambda ov: repr(ov.AsyncInferQueue(compiled(ov), 2)).splitlines()[0],
}


CHECKS = {**REQUESTS, **QUEUES}
