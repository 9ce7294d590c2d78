"""Checks of CompiledModel: calls and results."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.models import counter, pair, small

X = np.array([[1, 2, 3]], np.float32)

A = np.array([1, 2], np.float32)

B = np.array([3, 4], np.float32)


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


def _results_as_inputs(ov: Any) -> Any:
    """The results of one model are the inputs of another by position."""
    net = two(ov)
    return [net(net({"a": A, "b": B})).to_tuple(), net.create_infer_request().infer(net([B, A])).to_tuple()]


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
    "call with arrays of rank 0": lambda ov: [
        compiled(ov, shape)({"x": np.array(value)}, share_inputs=share)[0]
        for shape, value, share in (("1", 3.5, False), ("1,1", 3, True), ("-1", np.float32(3), True))
    ],
    "call with an array of rank 0 for two": lambda ov: compiled(ov, "2")({"x": np.array(3.0)}),
    "call with an array of rank 0 for open sizes": lambda ov: compiled(ov, "-1,-1")({"x": np.array(3.0)}),
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


def new_request(ov: Any) -> Any:
    return compiled(ov).create_infer_request()


CHECKS = {**CALLS}
