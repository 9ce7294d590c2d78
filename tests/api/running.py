"""Checks of CompiledModel, InferRequest, AsyncInferQueue and variables."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tests.api.comparing import Check
from tests.api.models import counter, pair, small

X = np.array([[1, 2, 3]], np.float32)
A, B = np.array([1, 2], np.float32), np.array([3, 4], np.float32)


def compiled(ov: Any, dims: str = "1,3") -> Any:
    return ov.Core().compile_model(small(ov, dims), "CPU")


def two(ov: Any) -> Any:
    return ov.Core().compile_model(pair(ov), "CPU")


def stateful(ov: Any) -> Any:
    return ov.Core().compile_model(counter(ov), "CPU")


def _keys(ov: Any) -> Any:
    results = two(ov)({"a": A, "b": B})
    ports = two(ov).outputs
    return [
        results[0],
        results["sum"],
        results[1],
        len(results),
        results["product"],
        len(list(results.keys())),
        isinstance(ports, list),
    ]


def _by_port(ov: Any) -> Any:
    net = two(ov)
    results = net({net.input("a"): A, net.input(1): B})
    return [results[net.output(0)], results[net.output("product")], net.output(0) in results, "sum" in results]


def _shared_input(ov: Any, share: bool) -> Any:
    net = compiled(ov)
    return net(X, share_inputs=share)[0]


def _shared_output(ov: Any, share: bool) -> Any:
    net = compiled(ov)
    first = net(X, share_outputs=share)[0]
    before = first.copy()
    net(X * 10, share_outputs=share)
    return bool(np.array_equal(before, first))


def _own_arrays(ov: Any) -> Any:
    request = compiled(ov).create_infer_request()
    first = request.infer({"x": X})[0]
    second = request.infer({"x": X * 2})[0]
    return [first, second]


CALLS: dict[str, Check] = {
    "call with array": lambda ov: compiled(ov)(X)[0],
    "call with list": lambda ov: compiled(ov)([X])[0],
    "call with tuple": lambda ov: compiled(ov)((X,))[0],
    "call with name": lambda ov: compiled(ov)({"x": X})[0],
    "call with index": lambda ov: compiled(ov)({0: X})[0],
    "call with port": _by_port,
    "call with tensor": lambda ov: compiled(ov)(ov.Tensor(X))[0],
    "call with tensor in dict": lambda ov: compiled(ov)({"x": ov.Tensor(X)})[0],
    "call with nested list": lambda ov: compiled(ov)({"x": [[1.0, 2.0, 3.0]]})[0],
    "call with python numbers": lambda ov: compiled(ov, "3")({"x": [1.0, 2.0, 3.0]})[0],
    "call with other dtype": lambda ov: compiled(ov)(X.astype(np.float64))[0],
    "call with integers": lambda ov: compiled(ov)(X.astype(np.int32))[0],
    "call with strides": lambda ov: compiled(ov)(np.stack([X, X], -1)[..., 0])[0],
    "call with nothing": lambda ov: compiled(ov)()[0].shape,
    "call with wrong shape": lambda ov: compiled(ov)(np.zeros((1, 4), np.float32)),
    "call with wrong rank": lambda ov: compiled(ov)(np.zeros((1, 1, 3), np.float32)),
    "call with unknown name": lambda ov: compiled(ov)({"zzz": X}),
    "call with wrong index": lambda ov: compiled(ov)({4: X}),
    "call with too many": lambda ov: compiled(ov)([X, X]),
    "call with set": lambda ov: compiled(ov)({1.5: X}),
    "call with text": lambda ov: compiled(ov)("text"),
    "call with object": lambda ov: compiled(ov)(object()),
    "call dynamic": lambda ov: [
        compiled(ov, "-1,3")(X)[0],
        compiled(ov, "-1,3")(np.zeros((2, 3), np.float32))[0].shape,
    ],
    "call dynamic misfit": lambda ov: compiled(ov, "-1,3")(np.zeros((2, 4), np.float32)),
    "call of scalar dim": lambda ov: compiled(ov, "")(np.float32(3)),
    "results by key": _keys,
    "results as dict": lambda ov: sorted(port.any_name for port in two(ov)([A, B]).to_dict()),
    "results as tuple": lambda ov: two(ov)([A, B]).to_tuple(),
    "results values": lambda ov: list(two(ov)([A, B]).values()),
    "results items": lambda ov: [(sorted(port.names), value) for port, value in two(ov)([A, B]).items()],
    "results names": lambda ov: [sorted(names) for names in two(ov)([A, B]).names()],
    "results iterate": lambda ov: [port.any_name for port in two(ov)([A, B])],
    "results unknown key": lambda ov: two(ov)([A, B])["zzz"],
    "results wrong index": lambda ov: two(ov)([A, B])[5],
    "results wrong key": lambda ov: two(ov)([A, B])[1.5],
    "results get": lambda ov: two(ov)([A, B]).get("zzz"),
    "results unpack": lambda ov: (lambda a, b: [a, b])(*two(ov)([A, B]).values()),
    "results type": lambda ov: type(two(ov)([A, B])).__name__,
    "share inputs": lambda ov: [_shared_input(ov, True), _shared_input(ov, False)],
    "own outputs": lambda ov: _shared_output(ov, False),
    "own arrays": _own_arrays,
    "outputs are writable": lambda ov: compiled(ov)(X)[0].flags.writeable,
    "outputs of shared": lambda ov: compiled(ov)(X, share_outputs=True)[0],
    "compiled inputs": lambda ov: [
        compiled(ov).inputs[0].any_name,
        compiled(ov).input().shape,
        compiled(ov).input(0).element_type,
        compiled(ov).input("x").get_partial_shape(),
    ],
    "compiled outputs": lambda ov: [
        sorted(compiled(ov).outputs[0].names),
        compiled(ov).output().shape,
        compiled(ov).output("y").get_any_name(),
    ],
    "compiled unknown port": lambda ov: compiled(ov).output("zzz"),
    "compiled no port 3": lambda ov: compiled(ov).output(3),
    "compiled input of several": lambda ov: two(ov).input(),
    "compiled port repr": lambda ov: repr(compiled(ov).input()),
    "compiled repr": lambda ov: [line.strip() for line in repr(two(ov)).splitlines()],
    "compiled port node": lambda ov: [
        compiled(ov).input().get_node().get_type_name(),
        compiled(ov).input().node.friendly_name,
        compiled(ov).input().get_node().get_friendly_name(),
    ],
    "compiled property": lambda ov: [
        compiled(ov).get_property("NETWORK_NAME"),
        compiled(ov).get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") >= 1,
    ],
    "compiled unknown property": lambda ov: compiled(ov).get_property("NO_SUCH"),
    "compiled set property": lambda ov: compiled(ov).set_property({"NO_SUCH": 1}),
    "compiled supported properties": lambda ov: "NETWORK_NAME" in compiled(ov).get_property("SUPPORTED_PROPERTIES"),
    "compiled devices": lambda ov: compiled(ov).get_property("EXECUTION_DEVICES"),
    "compiled property object": lambda ov: compiled(ov).get_property(ov.properties.model_name()),
    "runtime model": lambda ov: len(_runtime(compiled(ov)).get_ops()) > 0,
    "infer new request": lambda ov: compiled(ov).infer_new_request({"x": X})[0],
    "infer new request positional": lambda ov: compiled(ov).infer_new_request([X])[0],
    "release memory": lambda ov: compiled(ov).release_memory(),
    "compiled query state": lambda ov: [item.name for item in stateful(ov).query_state()],
    "model stays": lambda ov: _independent(ov),
    "changed after compiling": lambda ov: _changed(ov),
}


def _runtime(net: Any) -> Any:
    return net.get_runtime_model()


def _independent(ov: Any) -> Any:
    model = small(ov)
    net = ov.Core().compile_model(model, "CPU")
    del model
    return net(X)[0]


def _changed(ov: Any) -> Any:
    model = small(ov)
    net = ov.Core().compile_model(model, "CPU")
    model.reshape([4, 3])
    return [net.input().shape, net(X)[0]]


def _request(ov: Any) -> Any:
    return compiled(ov).create_infer_request()


def _set(ov: Any, how: Any) -> Any:
    request = _request(ov)
    how(request)
    request.infer()
    return request.get_output_tensor().data


def _set_pair(ov: Any, how: Any) -> Any:
    request = two(ov).create_infer_request()
    how(request)
    request.infer()
    return [tensor.data for tensor in request.output_tensors]


def _set_output(ov: Any, how: str) -> Any:
    request = _request(ov)
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
    request = _request(ov)
    request.get_input_tensor().data[:] = X
    request.infer()
    return request.results[request.model_outputs[0]]


def _async(ov: Any) -> Any:
    request = _request(ov)
    request.start_async({"x": X})
    request.wait()
    return [request.results[0], request.get_output_tensor().data]


def _async_callback(ov: Any) -> Any:
    request = _request(ov)
    seen: list[Any] = []
    request.set_callback(seen.append, "data")
    request.start_async({"x": X}, userdata="mine")
    request.wait()
    return [seen, request.userdata]


def _async_wrong(ov: Any) -> Any:
    request = _request(ov)
    request.start_async({"x": np.zeros((1, 9), np.float32)})
    request.wait()
    return "accepted"


def _callback_raises(ov: Any) -> Any:
    request = _request(ov)

    def fail(_: Any) -> None:
        raise ValueError("on purpose")

    request.set_callback(fail, None)
    request.start_async({"x": X})
    request.wait()
    return "waited"


def _results_kept(ov: Any) -> Any:
    request = _request(ov)
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
    "infer dict": lambda ov: _request(ov).infer({"x": X})[0],
    "infer positional": lambda ov: _request(ov).infer([X])[0],
    "infer array": lambda ov: _request(ov).infer(X)[0],
    "infer nothing": lambda ov: _request(ov).infer()[0].shape,
    "infer shared": lambda ov: _request(ov).infer({"x": X}, share_inputs=True, share_outputs=True)[0],
    "infer wrong shape": lambda ov: _request(ov).infer({"x": np.zeros((1, 4), np.float32)}),
    "infer unknown name": lambda ov: _request(ov).infer({"zzz": X}),
    "infer async": _async,
    "infer async callback": _async_callback,
    "infer async wrong": _async_wrong,
    "callback raises": _callback_raises,
    "wait without start": lambda ov: _request(ov).wait(),
    "wait for without start": lambda ov: _request(ov).wait_for(10),
    "wait for": lambda ov: _wait_for(ov),
    "cancel": lambda ov: _cancel(ov),
    "results": _results_kept,
    "results before": lambda ov: len(_request(ov).results),
    "latency": lambda ov: _latency(ov),
    "profiling": _profiling,
    "profiling off": lambda ov: _request(ov).profiling_info,
    "userdata": lambda ov: _request(ov).userdata,
    "compiled model of request": lambda ov: _request(ov).get_compiled_model().inputs[0].any_name,
    "model inputs": lambda ov: [
        [port.any_name for port in _request(ov).model_inputs],
        [port.any_name for port in _request(ov).model_outputs],
    ],
    "input tensor": lambda ov: [
        _request(ov).get_input_tensor().shape,
        _request(ov).get_input_tensor(0).element_type,
        len(_request(ov).input_tensors),
    ],
    "input tensor filled": _filled,
    "input tensor beyond": lambda ov: _request(ov).get_input_tensor(3),
    "input tensor of dynamic": lambda ov: compiled(ov, "-1,3").create_infer_request().get_input_tensor().shape,
    "output tensor of dynamic": lambda ov: compiled(ov, "-1,3").create_infer_request().get_output_tensor().shape,
    "output tensor before": lambda ov: [_request(ov).get_output_tensor().shape, len(_request(ov).output_tensors)],
    "tensor by name": lambda ov: [_request(ov).get_tensor("x").shape, _request(ov).get_tensor("y").shape],
    "tensor by port": lambda ov: _tensor_by_port(ov),
    "tensor by unknown name": lambda ov: _request(ov).get_tensor("zzz"),
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
    "input of several": lambda ov: two(ov).create_infer_request().get_input_tensor(),
    "request repr": lambda ov: [line.strip() for line in repr(two(ov).create_infer_request()).splitlines()],
    "busy twice": lambda ov: _twice(ov),
}


def _wait_for(ov: Any) -> Any:
    request = _request(ov)
    request.start_async({"x": X})
    return [request.wait_for(5000), request.wait_for(0)]


def _cancel(ov: Any) -> Any:
    request = _request(ov)
    return request.cancel()


def _latency(ov: Any) -> Any:
    request = _request(ov)
    request.infer({"x": X})
    return [request.latency >= 0, isinstance(request.latency, float)]


def _tensor_by_port(ov: Any) -> Any:
    request = _request(ov)
    return [
        request.get_tensor(request.model_inputs[0]).shape,
        request.get_tensor(request.model_outputs[0]).element_type,
    ]


def _twice(ov: Any) -> Any:
    request = _request(ov)
    for scale in range(5):
        request.start_async({"x": X * scale})
        request.wait()
    return request.results[0]


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
    "no variables": lambda ov: _request(ov).query_state(),
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

CHECKS = {**CALLS, **REQUESTS, **STATES, **QUEUES}
