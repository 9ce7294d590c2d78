"""Rewrites that let a model take other sizes than those its exporter wrote down, as OpenVINO's ``reshape`` does.

Each computes the same as before for the shapes that the model has:

* A Reshape to one axis, by a constant, becomes one to ``[-1]``.
* A Reshape to two axes, by a constant, that is a factor of a MatMul takes the size that both factors share from the
  other factor, and the rest for its other axis: ``[1,12]`` before weights of ``[12,5]`` becomes ``[-1,12]``. The other
  factor is neither a Reshape nor a Transpose; one that swaps the last two axes is looked through, on either side.
* ``[B,S,K]`` reshaped to ``[-1,K]``, multiplied by constant weights, with a constant bias or without, and reshaped to
  ``[1,S,O]``: both take the batch, and all axes between, from their input.
* Constant initial states of an LSTMCell, in a body of a TensorIterator too, are repeated for each sample of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from irrun.graph import Outlet
from irrun.inference import infer
from irrun.openvino.models.model import Model
from irrun.openvino.models.subgraphs import TensorIterator, with_bodies
from irrun.openvino.nodes.node import Node, make
from irrun.openvino.nodes.op import Constant, Parameter
from irrun.openvino.nodes.ports import Output
from irrun.tensor import Dim, Fact, Shape

_OPSET: Final = "opset13"


class Rewrites:
    """Edits of nodes that can be undone."""

    def __init__(self) -> None:
        self._inputs: list[tuple[Node, int, Output]] = []
        self._attributes: list[tuple[Node, str, Any]] = []

    def feed(self, node: Node, index: int, source: Output) -> None:
        """Feed an input of a node from another output."""
        self._inputs.append((node, index, node.input_value(index)))
        node.input(index).replace_source_output(source)

    def set(self, node: Node, name: str, value: Any) -> None:
        """Set an attribute of a node."""
        self._attributes.append((node, name, node.get_attributes()[name]))
        node.set_attribute(name, value)

    def undo(self) -> None:
        """Bring the nodes back to what they were."""
        for node, index, source in reversed(self._inputs):
            node.input(index).replace_source_output(source)
        for node, name, value in reversed(self._attributes):
            node.set_attribute(name, value)


def relax(model: Model) -> Rewrites:
    """Apply the rewrites to a model and its bodies."""
    edits = Rewrites()
    for inner in with_bodies(model):
        for node in _nodes(inner, ("Reshape",)):
            if not _sink(node, edits):
                _flatten(node, edits)
        for node in _nodes(inner, ("MatMul",)):
            for side in (0, 1):
                _relax_factor(node, side, edits)
        for node in _nodes(inner, ("LSTMCell",)):
            _repeat_states(node, edits)
        for node in _nodes(inner, ("TensorIterator",)):
            _repeat_outer_states(node, edits)
    return edits


def _nodes(model: Model, types: Sequence[str]) -> Iterator[Any]:
    graph = model._graph
    for id in graph.ordered(*model._ends.ids):
        if graph.node(id).type in types:
            yield graph.handle(id)


def _pattern(reshape: Node) -> list[int] | None:
    """Return the constant that a Reshape reshapes to; None where a layer computes it."""
    source = reshape.input_value(1)
    values = source.fact.constant if isinstance(source.node, Constant) else None
    return None if values is None else [int(item) for item in values.reshape(-1)]


def _reshape_to(reshape: Node, sizes: Sequence[int], edits: Rewrites) -> None:
    if _pattern(reshape) != list(sizes):
        edits.feed(reshape, 1, Constant(np.array(sizes, np.int64)).output(0))


def _flatten(reshape: Node, edits: Rewrites) -> None:
    if _pattern(reshape) is not None and reshape.fact(0).rank == 1:
        _reshape_to(reshape, [-1], edits)


def _relax_factor(product: Node, side: int, edits: Rewrites) -> None:
    """Let a Reshape that is a factor of a MatMul take its common size from the other factor."""
    reshape, is_transposed = _untransposed(product, side)
    other, is_other_transposed = _untransposed(product, 1 - side)
    pattern = _pattern(reshape.node) if reshape.node.get_type_name() == "Reshape" else None
    if pattern is None or len(pattern) != 2 or other.node.get_type_name() in ("Reshape", "Transpose"):
        return
    dims = other.fact.shape.dims
    if dims is None:
        return
    common = dims[_common_axis(len(dims), 1 - side, is_other_transposed)]
    if common.is_static:
        sizes = [-1, common.lo] if _common_axis(2, side, is_transposed) == 1 else [common.lo, -1]
        _reshape_to(reshape.node, sizes, edits)


def _untransposed(product: Node, side: int) -> tuple[Output, bool]:
    """Return a factor, and whether its last two axes are swapped, by the MatMul or by a Transpose before it."""
    source, name = product.input_value(side), "transpose_a" if side == 0 else "transpose_b"
    is_transposed, rank = bool(product.get_attributes()[name]), source.fact.rank
    if source.node.get_type_name() == "Transpose" and rank is not None and rank >= 2:
        order = source.node.input_value(1).fact.constant
        if order is not None and order.tolist() == [*range(rank - 2), rank - 1, rank - 2]:
            return source.node.input_value(0), not is_transposed
    return source, is_transposed


def _common_axis(rank: int, side: int, is_transposed: bool) -> int:
    """Return the axis of a factor that is summed over."""
    return max(0, rank - 1 if (side == 0) != is_transposed else rank - 2)


def _sink(last: Node, edits: Rewrites) -> bool:
    """Let a product of flattened samples take the batch from its input; return whether it is one."""
    sizes, source = _pattern(last), last.input_value(0).node
    if source.get_type_name() == "Add":
        bias, product = source.input_value(1), source.input_value(0).node
        if not isinstance(bias.node, Constant):
            return False
    else:
        bias, product = None, source
    if sizes is None or product.get_type_name() != "MatMul" or product.get_attributes()["transpose_a"]:
        return False
    first, weights = product.input_value(0).node, product.input_value(1)
    flat = _pattern(first) if first.get_type_name() == "Reshape" else None
    if flat is None or len(flat) != 2 or not isinstance(weights.node, Constant):
        return False
    data, matrix = first.input_value(0).fact.shape.dims, list(weights.fact.shape.static)
    inner, outer = matrix[::-1] if product.get_attributes()["transpose_b"] else [*matrix, None, None][:2]
    if len(matrix) != 2 or data is None or len(data) <= 2 or flat != [-1, inner] or data[-1] != inner:
        return False
    if bias is not None and list(bias.fact.shape.static)[:-1] != [1] * (len(bias.fact.shape.static) - 1):
        return False
    if bias is not None and bias.fact.shape.static[-1:] not in ((1,), (outer,)):
        return False
    if len(sizes) != len(data) or min(sizes) <= 0 or sizes[-1] != outer:
        return False
    if any(data[axis] != sizes[axis] for axis in range(1, len(data) - 1)):
        return False
    for node in (first, last):
        edits.set(node, "special_zero", True)
    _reshape_to(first, [*[0] * (len(data) - 1), inner], edits)
    _reshape_to(last, [0, *sizes[1:]], edits)
    return True


def _repeat_states(cell: Node, edits: Rewrites) -> None:
    """Repeat constant initial states of an LSTMCell for each sample."""
    for index in (1, 2):
        _repeat(cell, index, lambda: _size(cell.input_value(0), 0), edits)


def _repeat_outer_states(loop: TensorIterator, edits: Rewrites) -> None:
    """Repeat constant initial states that a TensorIterator feeds to an LSTMCell in its body for each sample."""
    body, given = loop.get_function(), {}
    outer = {entry.internal: entry.external for entry in loop._bodies.inputs["body"] if entry.external is not None}
    for cell in _nodes(body, ("LSTMCell",)):
        found = _batch_of(body, cell)
        for index in (1, 2) if found is not None else ():
            state = cell.input_value(index).node
            number = body.get_parameter_index(state) if isinstance(state, Parameter) else -1
            if number in outer and found is not None and found[0] in outer:
                given[outer[number]] = loop.input_value(outer[found[0]] or 0), found[1]
    for external, (source, axis) in given.items():
        if external is not None:
            _repeat(loop, external, lambda source=source, axis=axis: _size(source, axis), edits)


def _batch_of(body: Model, cell: Node) -> tuple[int, int] | None:
    """Return the Parameter of a body and its axis that the first axis of the input of a cell is; None for neither."""
    graph, weights = body.value.bound.graph, body.value.weights
    ids = [parameter._id for parameter in body.parameters]
    facts = [parameter.fact(0) for parameter in body.parameters]
    given = {
        id: Fact(fact.type, Shape([Dim()] * fact.rank).named(f"{id}"))
        for id, fact in zip(ids, facts, strict=True)
        if fact.rank is not None
    }
    source = cell.input_value(0).outlet
    known = infer(graph, weights, given).get(Outlet(source.node, source.port))
    if known is None or not known.shape.dims:
        return None
    for number, id in enumerate(ids):
        for axis, dim in enumerate(given[id].shape.dims or () if id in given else ()):
            if dim == known.shape.dims[0]:
                return number, axis
    return None


def _size(source: Output, axis: int) -> Output:
    """Return the size of an axis as a list of one element."""
    sizes = Output(make("ShapeOf", _OPSET, [source], {"output_type": "i64"}), 0)
    index, zero = (Constant(np.array(item, np.int64)).output(0) for item in ([axis], 0))
    return Output(make("Gather", _OPSET, [sizes, index, zero], {}), 0)


def _repeat(node: Node, index: int, batch: Any, edits: Rewrites) -> None:
    """Repeat a constant input for one sample as often as ``batch`` returns."""
    state = node.input_value(index)
    shape = state.fact.shape.static if isinstance(state.node, Constant) else ()
    if shape[:1] != (1,):
        return
    rest = Constant(np.array(shape[1:], np.int64)).output(0)
    sizes = Output(make("Concat", _OPSET, [batch(), rest], {"axis": 0}), 0)
    edits.feed(node, index, Output(make("Broadcast", _OPSET, [state, sizes], {"mode": "numpy"}), 0))
