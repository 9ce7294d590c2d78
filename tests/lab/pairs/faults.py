"""Faults that are planted into a model, with the layer and the cause that a verdict should name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.openvino.nodes.records import with_attribute
from tests.lab.pairs.editing import Edit, is_float
from tests.lab.pairs.planting import Kind, Planted, changed, constants, done, hold


def one_weight(model: Loaded) -> Iterator[Planted | None]:
    """One weight of a product is another number."""
    for edit, node, port, value in constants(model, "MatMul", "Convolution", "GroupConvolution", port=1):
        if value.dtype.kind == "f" and value.size > 8:
            other = value.copy()
            other.flat[value.size // 2] += 4 * np.abs(value).max() + 1
            hold(edit, node, port, other)
            yield done(edit, node.name, "constant")


def one_channel(model: Loaded) -> Iterator[Planted | None]:
    """One channel of the weights is half as large again."""
    for edit, node, port, value in constants(model, "MatMul", "Convolution", "GroupConvolution", port=1):
        if value.dtype.kind == "f" and value.ndim >= 2 and value.shape[0] > 1:
            other = value.copy()
            other[value.shape[0] // 2] *= 1.5
            hold(edit, node, port, other)
            yield done(edit, node.name, "constant")


def wrong_bias(model: Loaded) -> Iterator[Planted | None]:
    """A bias has another sign."""
    for edit, node, port, value in constants(model, "Add", port=1):
        if value.dtype.kind == "f" and value.size > 1:
            hold(edit, node, port, -value)
            yield done(edit, node.name, "constant")


def wrong_scale(model: Loaded) -> Iterator[Planted | None]:
    """A factor is half as large again."""
    for edit, node, port, value in constants(model, "Multiply", "Divide"):
        if value.dtype.kind == "f":
            hold(edit, node, port, value * np.float32(1.5))
            yield done(edit, node.name, "constant")


def transposed(model: Loaded) -> Iterator[Planted | None]:
    """A square matrix is transposed."""
    for edit, node, port, value in constants(model, "MatMul", "Convolution", port=1):
        if value.dtype.kind == "f" and value.ndim >= 2 and value.shape[-1] == value.shape[-2] > 1:
            hold(edit, node, port, value.swapaxes(-1, -2))
            yield done(edit, node.name, "constant")


def eps(model: Loaded) -> Iterator[Planted | None]:
    """An epsilon is much larger."""
    yield from changed(model, "eps", lambda _: 0.5, "MVN", "NormalizeL2", "BatchNormInference", "GroupNormalization")


def softmax_axis(model: Loaded) -> Iterator[Planted | None]:
    """A softmax works along another axis."""
    yield from changed(model, "axis", lambda axis: -2 if axis in (-1, 3) else None, "SoftMax", "Softmax", "LogSoftmax")


def transpose_flag(model: Loaded) -> Iterator[Planted | None]:
    """A MatMul takes its second operand in the other order."""
    yield from changed(model, "transpose_b", lambda flag: not flag, "MatMul")


def padding(model: Loaded) -> Iterator[Planted | None]:
    """A convolution pads on the other side."""
    for node in Edit(model).layers("Convolution", "GroupConvolution", "MaxPool", "AvgPool"):
        begin, end = getattr(node.op, "pads_begin", None), getattr(node.op, "pads_end", None)
        if begin and end and begin[0] == 1:
            edit = Edit(model)
            record = with_attribute(node, "pads_begin", [0, *begin[1:]])
            edit.graph.update(with_attribute(record, "pads_end", [end[0] + 1, *end[1:]]))
            yield done(edit, node.name, "attribute")


def gelu_mode(model: Loaded) -> Iterator[Planted | None]:
    """A GELU is approximated."""
    yield from changed(model, "approximation_mode", lambda mode: "tanh" if mode.lower() == "erf" else "erf", "Gelu")


def clamp_limit(model: Loaded) -> Iterator[Planted | None]:
    """A limit is another one."""
    yield from changed(model, "max", lambda value: value / 4 if value < 1e6 else None, "Clamp")


def round_mode(model: Loaded) -> Iterator[Planted | None]:
    """A resize takes another mode, or other coordinates."""
    yield from changed(
        model,
        "coordinate_transformation_mode",
        lambda mode: "asymmetric" if mode != "asymmetric" else "half_pixel",
        "Interpolate",
    )
    yield from changed(model, "mode", lambda mode: "nearest" if mode != "nearest" else "linear_onnx", "Interpolate")


def pooled_padding(model: Loaded) -> Iterator[Planted | None]:
    """An average counts the padding, or does not."""
    yield from changed(model, "exclude_pad", lambda flag: not flag, "AvgPool")


def swapped_inputs(model: Loaded) -> Iterator[Planted | None]:
    """The operands of a difference or quotient are exchanged."""
    for node in Edit(model).layers("Subtract", "Divide"):
        edit = Edit(model)
        a, b = model.graph.sources(node.id)[:2]
        if a is None or b is None or {a.node, b.node} & edit.constant or not is_float(edit.fact(node)):
            continue
        edit.graph.feed(node.id, [b, a])
        yield done(edit, node.name, "order")


def other_input(model: Loaded) -> Iterator[Planted | None]:
    """A sum reads the input of a layer before it instead of its output."""
    for node in Edit(model).layers("Add", "Multiply"):
        for port, outlet in enumerate(model.graph.sources(node.id)[:2]):
            edit = Edit(model)
            if outlet is None or outlet.node in edit.constant or len(edit.graph.consumers(outlet)) < 2:
                continue
            before = [s for s in model.graph.sources(outlet.node) if s is not None and s.node not in edit.constant]
            fact = model.facts.get(outlet)
            alike = [
                s
                for s in before
                if fact is not None and model.facts[s].shape == fact.shape and model.facts[s].type == fact.type
            ]
            if not alike or not is_float(fact):
                continue
            sources = list(model.graph.sources(node.id))
            sources[port] = alike[0]
            edit.graph.feed(node.id, sources)
            yield done(edit, node.name, "input")


def dropped(model: Loaded) -> Iterator[Planted | None]:
    """A layer is left out."""
    for node in Edit(model).layers("ReLU", "Gelu", "Swish", "Sigmoid", "Tanh", "MVN", "SoftMax", "Softmax"):
        edit = Edit(model)
        edit.graph.replace(Outlet(node.id, 0), edit.source(node))
        edit.graph.remove([node.id])
        yield done(edit, node.name, "missing")


def dropped_bias(model: Loaded) -> Iterator[Planted | None]:
    """A bias is not added."""
    for edit, node, port, value in constants(model, "Add", port=1):
        data = edit.source(node, 1 - port)
        if value.size > 1 and is_float(edit.fact(node)) and model.facts[data].shape == edit.fact(node).shape:
            edit.graph.replace(Outlet(node.id, 0), data)
            edit.graph.remove([node.id])
            yield done(edit, node.name, "missing")


def inserted(model: Loaded) -> Iterator[Planted | None]:
    """A layer more."""
    for node in Edit(model).layers("Add", "MatMul", "Convolution", "ReLU"):
        edit = Edit(model)
        if not is_float(edit.fact(node)) or not edit.graph.consumers(Outlet(node.id, 0)):
            continue
        made = edit.make("Multiply", [Outlet(node.id, 0), edit.const(np.float32(1.1))], "planted")
        edit.between(Outlet(node.id, 0), made)
        yield done(edit, "planted", "missing")


def inserted_activation(model: Loaded) -> Iterator[Planted | None]:
    """An activation more."""
    for node in Edit(model).layers("Add", "MatMul", "Convolution"):
        edit = Edit(model)
        if is_float(edit.fact(node)) and edit.graph.consumers(Outlet(node.id, 0)):
            edit.between(Outlet(node.id, 0), edit.make("Tanh", [Outlet(node.id, 0)], "planted"))
            yield done(edit, "planted", "missing")


def other_activation(model: Loaded) -> Iterator[Planted | None]:
    """Another activation."""
    others = {"ReLU": "Sigmoid", "Gelu": "ReLU", "Swish": "ReLU", "Tanh": "Sigmoid", "Sigmoid": "Tanh"}
    for node in Edit(model).layers(*others):
        edit = Edit(model)
        edit.instead(node, edit.make(others[node.type], [edit.source(node)], node.name))
        yield done(edit, node.name, "type")


def other_operation(model: Loaded) -> Iterator[Planted | None]:
    """A sum of two tensors is their difference."""
    for node in Edit(model).layers("Add"):
        edit = Edit(model)
        a, b = model.graph.sources(node.id)
        if a is not None and b is not None and not {a.node, b.node} & edit.constant and is_float(edit.fact(node)):
            edit.instead(node, edit.make("Subtract", [a, b], node.name))
            yield done(edit, node.name, "type")


def other_reduction(model: Loaded) -> Iterator[Planted | None]:
    """A mean is a maximum."""
    for node in Edit(model).layers("ReduceMean"):
        edit = Edit(model)
        edit.instead(node, edit.make("ReduceMax", model.graph.sources(node.id), node.name, keep_dims=node.op.keep_dims))  # type: ignore[union-attr]
        yield done(edit, node.name, "type")


def shifted_slice(model: Loaded) -> Iterator[Planted | None]:
    """A slice or an index begins one element later."""
    for node in Edit(model).layers("Slice", "StridedSlice"):
        edit = Edit(model)
        values = [edit.value(node, port) for port in (1, 2)]
        if any(value is None for value in values):
            continue
        for step in (1, -1):
            edit = Edit(model)
            for port, value in zip((1, 2), values, strict=True):
                hold(edit, node, port, value + step)  # type: ignore[operator]
            yield done(edit, node.name, "constant")
    for edit, node, port, value in constants(model, "Gather", port=1):
        if value.dtype.kind in "iu":
            hold(edit, node, port, np.where(value > 0, value - 1, value + 1))
            yield done(edit, node.name, "constant")


def wrong_order(model: Loaded) -> Iterator[Planted | None]:
    """A transposition exchanges two axes more, neither of size one, which would be a Reshape.

    Where the sound one only moves axes of size one, the fault is a transposition more than the other exporter may have.
    """
    for edit, node, port, value in constants(model, "Transpose", port=1):
        sizes = edit.fact(node).shape.static
        moved = [axis for axis, size in zip(value.tolist(), sizes, strict=True) if size > 1]
        cause = "constant" if moved != sorted(moved) else "transposition"
        for one in range(value.size - 1):
            if 1 in sizes[one : one + 2]:
                continue
            edit = Edit(model)
            other = value.copy()
            other[[one, one + 1]] = other[[one + 1, one]]
            hold(edit, node, port, other)
            yield done(edit, node.name, cause)


def wrong_concat(model: Loaded) -> Iterator[Planted | None]:
    """The parts of a concatenation are in another order."""
    for node in Edit(model).layers("Concat"):
        edit = Edit(model)
        sources = list(model.graph.sources(node.id))
        if len(set(sources)) > 1 and is_float(edit.fact(node)):
            edit.graph.feed(node.id, sources[::-1])
            yield done(edit, node.name, "order")


def clamped(model: Loaded) -> Iterator[Planted | None]:
    """A tensor is limited on its way."""
    for node in Edit(model).layers("Add", "MatMul", "Convolution"):
        edit = Edit(model)
        if is_float(edit.fact(node)) and edit.graph.consumers(Outlet(node.id, 0)):
            edit.between(Outlet(node.id, 0), edit.make("Clamp", [Outlet(node.id, 0)], "planted", min=-0.1, max=0.1))
            yield done(edit, "planted", "missing")


def mask(model: Loaded) -> Iterator[Planted | None]:
    """The values of a mask are small instead of large."""
    for edit, node, port, value in constants(model, "Select", "Add", "Multiply", "ScaledDotProductAttention"):
        if value.dtype.kind == "f" and value.size >= 1 and float(np.abs(value).max()) > 1e4:
            hold(edit, node, port, np.where(np.abs(value) > 1e4, 0, value))
            yield done(edit, node.name, "constant")


def gates(model: Loaded) -> Iterator[Planted | None]:
    """The gates of a recurrent layer are in another order."""
    for edit, node, port, value in constants(model, "LSTMSequence", "GRUSequence", "LSTMCell", "GRUCell"):
        op: Any = node.op
        size = op.hidden_size
        if (
            value.dtype.kind == "f"
            and value.ndim >= 2
            and size
            and value.shape[-2] % size == 0
            and value.shape[-2] > size
        ):
            parts = np.split(value, value.shape[-2] // size, axis=-2)
            hold(edit, node, port, np.concatenate([parts[1], parts[0], *parts[2:]], axis=-2))
            yield done(edit, node.name, "constant")


def direction(model: Loaded) -> Iterator[Planted | None]:
    """A recurrent layer runs backwards."""
    yield from changed(
        model,
        "direction",
        lambda way: {"forward": "reverse", "reverse": "forward"}.get(way),
        "LSTMSequence",
        "GRUSequence",
        "RNNSequence",
    )


def broadcast_index(model: Loaded) -> Iterator[Planted | None]:
    """The embedding of another token."""
    for edit, node, port, value in constants(model, "Gather", port=0):
        if value.dtype.kind == "f" and value.ndim == 2:
            hold(edit, node, port, np.roll(value, 1, axis=0))
            yield done(edit, node.name, "constant")


def split_lengths(model: Loaded) -> Iterator[Planted | None]:
    """The parts of a Split are exchanged."""
    for node in Edit(model).layers("Split", "VariadicSplit"):
        edit = Edit(model)
        count = node.outputs
        consumers = [edit.graph.consumers(Outlet(node.id, port)) for port in range(count)]
        if count < 2 or model.facts[Outlet(node.id, 0)].shape != model.facts[Outlet(node.id, 1)].shape:
            continue
        for port, other in ((0, 1), (1, 0)):
            for inlet in consumers[port]:
                edit.graph.connect(Outlet(node.id, other), inlet)
        names = tuple(model.graph.node(inlet.node).name for port in (0, 1) for inlet in consumers[port])
        made = edit.done()
        yield None if made is None else Planted("|".join(names), made, "input")


def kept_state(model: Loaded) -> Iterator[Planted | None]:
    """A variable keeps a larger tensor than the run goes on with."""
    for node in Edit(model).layers("Assign"):
        edit = Edit(model)
        made = edit.make("Multiply", [edit.source(node), edit.const(np.float32(1.1))], "planted")
        edit.graph.feed(node.id, [made])
        yield done(edit, "planted", "missing")


def exchanged_states(model: Loaded) -> Iterator[Planted | None]:
    """Two variables keep each other's tensor."""
    nodes = list(Edit(model).layers("Assign"))
    for node, other in zip(nodes[::2], nodes[1::2], strict=False):
        edit = Edit(model)
        first, second = edit.source(node), edit.source(other)
        edit.graph.feed(node.id, [second])
        edit.graph.feed(other.id, [first])
        outputs = (f"state {getattr(each.op, 'variable_id', '')}" for each in (node, other))
        yield done(edit, "|".join((node.name, other.name, *outputs)), "input")


KINDS: Final[Mapping[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        *(one_weight, one_channel, wrong_bias, wrong_scale, transposed, eps, softmax_axis, transpose_flag, padding),
        *(gelu_mode, clamp_limit, round_mode, pooled_padding, swapped_inputs, other_input, dropped, dropped_bias),
        *(inserted, inserted_activation, other_activation, other_operation, other_reduction, shifted_slice),
        *(wrong_order, wrong_concat, clamped, mask, gates, direction, broadcast_index, split_lengths),
        *(kept_state, exchanged_states),
    )
}
