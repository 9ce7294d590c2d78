"""Checks of new shapes and batches of models whose exporters wrote sizes down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32


def _ints(ov: Any, values: Any, type: Any = np.int64) -> Any:
    return ov.opset13.constant(np.array(values, type))


def _ones(ov: Any, *shape: int) -> Any:
    return ov.opset13.constant(np.ones(shape, F))


def flattened(
    pattern: list[int],
    weights: tuple[int, ...],
    *,
    side: int = 0,
    swaps: tuple[bool, bool] = (False, False),
    between: Callable[[Any, Any], Any] = lambda _, x: x,
    other: Callable[[Any, Any], Any] = lambda _, x: x,
) -> Any:
    """Return what builds a product of an input that is reshaped to a pattern and weights."""

    def build(ov: Any) -> Any:
        x = ov.opset13.parameter([1, 3, 4], F, name="x")
        factors = [between(ov, ov.opset13.reshape(x, _ints(ov, pattern), False)), other(ov, _ones(ov, *weights))]
        return ov.Model([ov.opset13.matmul(*factors[:: -1 if side else 1], *swaps)], [x], "flattened")

    return build


def sunk(
    first: list[int], last: list[int], *, bias: tuple[int, ...] = (), swaps: bool = False, shape: Any = (1, 3, 4)
) -> Any:
    """Return what builds a product of flattened samples that are put together again."""

    def build(ov: Any) -> Any:
        ops = ov.opset13
        x = ops.parameter(list(shape), F, name="x")
        weights = _ones(ov, *((5, 4) if swaps else (4, 5)))
        node = ops.matmul(ops.reshape(x, _ints(ov, first), False), weights, False, swaps)
        node = ops.add(node, _ones(ov, *bias)) if bias else node
        return ov.Model([ops.relu(ops.reshape(node, _ints(ov, last), False))], [x], "sunk")

    return build


def reshaped(pattern: list[int]) -> Any:
    def build(ov: Any) -> Any:
        x = ov.opset13.parameter([1, 3, 4], F, name="x")
        return ov.Model([ov.opset13.relu(ov.opset13.reshape(x, _ints(ov, pattern), False))], [x], "reshaped")

    return build


def cell(ov: Any) -> Any:
    x = ov.opset13.parameter([1, 4], F, name="x")
    node = ov.opset13.lstm_cell(
        x, _ones(ov, 1, 3), _ones(ov, 1, 3), _ones(ov, 12, 4), _ones(ov, 12, 3), _ones(ov, 12), 3
    )
    return ov.Model([node.output(0)], [x], "cell")


def sequence(ov: Any) -> Any:
    x, states = ov.opset13.parameter([1, 5, 4], F, name="x"), [_ones(ov, 1, 1, 3), _ones(ov, 1, 1, 3)]
    weights = [_ones(ov, 1, 12, 4), _ones(ov, 1, 12, 3), _ones(ov, 1, 12)]
    node = ov.opset13.lstm_sequence(x, *states, _ints(ov, [5], np.int32), *weights, 3, "forward")
    return ov.Model([node.output(0)], [x], "sequence")


def iterated(ov: Any) -> Any:
    """Return a TensorIterator over an LSTMCell, whose initial states are constants."""
    ops = ov.opset13
    x, part = ops.parameter([1, 5, 4], F, name="x"), ops.parameter([1, 1, 4], F)
    states = [ops.parameter([1, 3], F) for _ in range(2)]
    weights = [_ones(ov, 12, 4), _ones(ov, 12, 3), _ones(ov, 12)]
    node = ops.lstm_cell(ops.squeeze(part, _ints(ov, [1])), *states, *weights, 3)
    ends = [ops.result(port) for port in (node.output(0), node.output(1))]
    ends.append(ops.result(ops.unsqueeze(node.output(0), _ints(ov, [1]))))
    loop = ops.tensor_iterator()
    loop.set_body(ov.Model(ends, [part, *states], "body"))
    loop.set_sliced_input(part, x.output(0), 0, 1, 1, -1, 1)
    for state, end in zip(states, ends, strict=False):
        loop.set_merged_input(state, _ones(ov, 1, 3).output(0), end.output(0))
    return ov.Model([ops.relu(loop.get_concatenated_slices(ends[2].output(0), 0, 1, 1, -1, 1))], [x], "iterated")


def held_states(flat: bool) -> Any:
    """Return what builds a TensorIterator over an LSTMCell whose initial states are constants of the body.

    The input of the cell has the size of a batch, or one that is written down.
    """

    def build(ov: Any) -> Any:
        ops = ov.opset13
        x, part = ops.parameter([1, 5, 4], F, name="x"), ops.parameter([1, 1, 4], F)
        weights = [_ones(ov, 12, 4), _ones(ov, 12, 3), _ones(ov, 12)]
        data = ops.reshape(part, _ints(ov, [1, 4]), False) if flat else ops.squeeze(part, _ints(ov, [1]))
        node = ops.lstm_cell(data, _ones(ov, 1, 3), _ones(ov, 1, 3), *weights, 3)
        end = ops.result(ops.unsqueeze(node.output(0), _ints(ov, [1])))
        loop = ops.tensor_iterator()
        loop.set_body(ov.Model([end], [part], "body"))
        loop.set_sliced_input(part, x.output(0), 0, 1, 1, -1, 1)
        return ov.Model([ops.relu(loop.get_concatenated_slices(end.output(0), 0, 1, 1, -1, 1))], [x], "held")

    return build


def sunk_with(bias: Callable[[Any], Any] | None) -> Any:
    """Return what builds a product of flattened samples with this bias, or of samples that are not flattened."""

    def build(ov: Any) -> Any:
        ops = ov.opset13
        x = ops.parameter([1, 3, 4], F, name="x")
        flat = ops.reshape(x, _ints(ov, [-1, 4]), False) if bias is not None else ops.relu(x)
        node = ops.matmul(flat, _ones(ov, 4, 5), False, False)
        node = ops.add(node, bias(ov)) if bias is not None else node
        return ov.Model([ops.relu(ops.reshape(node, _ints(ov, [1, 3, 5]), False))], [x], "sunk")

    return build


def _as_it_is(ov: Any, x: Any) -> Any:
    return ov.opset13.transpose(x, _ints(ov, [0, 1]))


def _transposed(ov: Any, x: Any) -> Any:
    return ov.opset13.transpose(x, _ints(ov, [1, 0]))


def _relu(ov: Any, x: Any) -> Any:
    return ov.opset13.relu(x)


def _in_shape(ov: Any, x: Any) -> Any:
    return ov.opset13.reshape(x, _ints(ov, [12, 5]), False)


MODELS: dict[str, Any] = {
    "one axis": reshaped([12]),
    "batch of one": reshaped([1, 12]),
    "split batch": reshaped([3, 1, 4]),
    "flat": flattened([1, 12], (12, 5)),
    "flat, rest given": flattened([1, -1], (12, 5)),
    "flat, batch given": flattened([-1, 12], (12, 5)),
    "flat, weights swapped": flattened([1, 12], (5, 12), swaps=(False, True)),
    "flat, columns": flattened([12, 1], (12, 5), swaps=(True, False)),
    "flat, transposed": flattened([12, 1], (12, 5), between=_transposed),
    "flat, not transposed": flattened([1, 12], (12, 5), between=_as_it_is),
    "flat, weights transposed": flattened([1, 12], (5, 12), other=_transposed),
    "flat, weights reshaped": flattened([1, 12], (60,), other=_in_shape),
    "flat, many weights": flattened([1, 12], (2, 12, 5)),
    "flat, relu between": flattened([1, 12], (12, 5), between=_relu),
    "flat, three axes": flattened([1, 1, 12], (12, 5)),
    "flat, second": flattened([12, 1], (5, 12), side=1),
    "flat, second, swapped": flattened([1, 12], (5, 12), side=1, swaps=(False, True)),
    "sunk": sunk([-1, 4], [1, 3, 5]),
    "sunk, bias": sunk([-1, 4], [1, 3, 5], bias=(5,)),
    "sunk, bias of one": sunk([-1, 4], [1, 3, 5], bias=(1, 1)),
    "sunk, bias of samples": sunk([-1, 4], [1, 3, 5], bias=(3, 5)),
    "sunk, weights swapped": sunk([-1, 4], [1, 3, 5], swaps=True),
    "sunk, of constants": sunk([3, 4], [1, 3, 5]),
    "sunk, four axes": sunk([-1, 4], [1, 2, 3, 5], shape=(1, 2, 3, 4)),
    "sunk, rest given": sunk([-1, 4], [1, -1, 5]),
    "sunk, other order": sunk([-1, 4], [3, 1, 5]),
    "sunk, bias of a layer": sunk_with(lambda ov: ov.opset13.relu(_ones(ov, 5))),
    "sunk, bias without axes": sunk_with(lambda ov: _ones(ov)),
    "sunk, not flat": sunk_with(None),
    "cell": cell,
    "sequence": sequence,
    "iterated": iterated,
    "iterated, states of the body": held_states(False),
    "iterated, a flat input": held_states(True),
}


def resized(make: Any, batch: int, is_batch: bool) -> Check:
    """Return a check that gives a model another batch and runs it."""

    def check(ov: Any) -> Any:
        model = make(ov)
        try:
            if is_batch:
                model.get_parameters()[0].set_layout(ov.Layout("N..."))
                ov.set_batch(model, batch)
            else:
                model.reshape([batch, *list(model.input().shape)[1:]])
            found = "accepted"
        except RuntimeError:
            found = "refused"
        shape = [size.get_length() if size.is_static else 4 for size in model.input().partial_shape]
        array = (np.arange(np.prod(shape)) % 7 / 10).reshape(shape).astype(F)
        compiled = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        ports = [[port.partial_shape] for port in (*model.inputs, *model.outputs)]
        return [found, ports, np.round(compiled([array])[0].astype(np.float64), 2)]

    return check


CHECKS: dict[str, Check] = {
    f"sizes, {name}, {'batch' if is_batch else 'shape'} of {batch}": resized(make, batch, is_batch)
    for name, make in MODELS.items()
    for batch in (4, -1)
    for is_batch in (False, True)
    if batch == 4
    or name
    not in (
        *("batch of one", "split batch", "flat, relu between", "flat, three axes", "sequence", "flat, many weights"),
        "sunk, bias without axes",
    )
}
