"""Builders of the operations with sub-graphs, as OpenVINO's ``if_op``, ``loop`` and ``tensor_iterator``.

Types and shapes of their outputs are inferred by ``validate_and_infer_types``, or with the model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from irrun.diagnostics import IRError
from irrun.document.weights import Weights
from irrun.graph import Body, Bound, Graph, Outlet
from irrun.inference import infer
from irrun.model import Loaded
from irrun.openvino.models.model import Model
from irrun.openvino.nodes.descriptions import (
    InputDescription,
    MergedInputDescription,
    OutputDescription,
    as_input,
    of_input,
    of_output,
)
from irrun.openvino.nodes.descriptions import as_output as described
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output, as_output
from irrun.openvino.nodes.records import fresh_name, held, record_of
from irrun.openvino.nodes.workspace import HANDLES
from irrun.ops.context import BodyInput, BodyOutput, BodyPorts
from irrun.ops.registry import resolve


@dataclass
class _Bodies:
    """The bodies of a node as models, and their connections to its ports, by tag.

    ``taken`` are the graphs of the models that the record of the node has, with the weights that their constants are
    ranges of.
    """

    models: dict[str, Model] = field(default_factory=dict)
    inputs: dict[str, list[BodyInput]] = field(default_factory=lambda: defaultdict(list))
    outputs: dict[str, list[BodyOutput]] = field(default_factory=lambda: defaultdict(list))
    back_edges: list[tuple[int, int]] = field(default_factory=list)
    taken: dict[str, tuple[Graph, Weights]] = field(default_factory=dict)


class SubGraphs(Node):
    """An operation with bodies: models with their connections to the ports of the node.

    The models are those that the caller set, or those of the file that was read. Edits of a body count when the node
    is validated, alone or with its model; its Parameters then have the types and shapes that arrive at them.
    """

    _tags: ClassVar[tuple[str, ...]]
    _opened: _Bodies

    def _open(self, type: str, version: str, sources: Sequence[Any], name: str | None) -> None:
        record = record_of(resolve(type, version)(), name or fresh_name(type), 0)
        outputs = [as_output(source) for source in sources]
        self._begin(record, [(output.node, output.index) for output in outputs], ())

    @property
    def _bodies(self) -> _Bodies:
        if "_opened" not in self.__dict__:
            self._opened = _Bodies()
            for tag, body in self.record.bodies.items():
                self._opened.models[tag] = model = self._read(tag, body)
                with suppress(IRError):
                    self._opened.taken[tag] = model.value.bound.graph, self._graph.weights
                self._opened.inputs[tag], self._opened.outputs[tag] = list(body.ports.inputs), list(body.ports.outputs)
                self._opened.back_edges = list(body.ports.back_edges)
            self._graph.keep(self)
        return self._opened

    def _read(self, tag: str, body: Body) -> Model:
        """Return the model of a body that was read."""
        graph = self._graph
        facts = graph.bodies.get((self._id, tag))
        if facts is None or facts.graph is not body.graph:
            facts = infer(body.graph, graph.weights)
        model = Model.of(Loaded(Bound(body.graph, (), {}), facts, graph.weights, name=tag))
        _ = model.parameters
        return model

    @property
    def models(self) -> list[Model]:
        """The bodies that are set."""
        return [self._bodies.models[tag] for tag in self._tags if tag in self._bodies.models]

    def _model(self, tag: str) -> Model:
        if tag not in self._bodies.models:
            raise RuntimeError(f'{self.get_type_name()} "{self.friendly_name}" has no {tag} yet; set it first')
        return self._bodies.models[tag]

    def _set_model(self, tag: str, model: Any) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a body is a Model, got {model!r}")
        self._bodies.models[tag] = model
        self._connect()

    def _parameter(self, tag: str, parameter: Parameter) -> int:
        index = self._model(tag).get_parameter_index(parameter)
        if index < 0:
            raise IndexError(f"{parameter!r} is not a Parameter of {tag}")
        return index

    def _result(self, tag: str, value: Any) -> int:
        index = self._model(tag).get_result_index(value)
        if index < 0:
            raise RuntimeError(f"{value!r} is not a Result of {tag}")
        return index

    def _add_input(self, value: Any) -> int:
        self.set_arguments([*self.input_values(), value])
        return self.record.inputs - 1

    def _add_output(self) -> Output:
        self._set_output_size(self.record.outputs + 1)
        with suppress(IRError):
            self._graph.infer_node(self._id)
        return Output(self, self.record.outputs - 1)

    def _set_output_size(self, count: int) -> None:
        self._update(self.record._replace(outputs=count, names=((),) * count))
        self._connect()

    def _input_descriptions(self, tag: str) -> list[InputDescription]:
        results = {parameter: result for result, parameter in self._bodies.back_edges}
        return [of_input(entry, results) for entry in self._bodies.inputs[tag] if entry.external is not None]

    def _output_descriptions(self, tag: str) -> list[OutputDescription]:
        return [of_output(entry) for entry in self._bodies.outputs[tag] if entry.external is not None]

    def _describe_inputs(self, tag: str, items: Sequence[InputDescription]) -> None:
        self._bodies.inputs[tag] = [as_input(item) for item in items]
        merged = [item for item in items if isinstance(item, MergedInputDescription)]
        self._bodies.back_edges = [(item.body_value_index, item.body_parameter_index) for item in merged]
        self._connect()

    def _describe_outputs(self, tag: str, items: Sequence[OutputDescription]) -> None:
        self._bodies.outputs[tag] = [described(item) for item in items]
        self._set_output_size(1 + max((item.output_index for item in items), default=-1))

    def _connect(self) -> None:
        """Give the record the bodies as they are now."""
        before = self.record.bodies
        bodies = {tag: self._body(tag, before.get(tag)) for tag in self._tags if tag in self._bodies.models}
        if bodies.keys() != before.keys() or any(body is not before[tag] for tag, body in bodies.items()):
            self._update(self.record._replace(bodies=bodies))

    refresh = _connect

    def _body(self, tag: str, before: Body | None) -> Body:
        """Return a body as a graph whose constants are of the weights of this node's graph, or in memory.

        It is ``before`` where nothing has changed.
        """
        own, model, weights = self._bodies, self._bodies.models[tag], self._graph.weights
        _ = model.parameters
        value = model.value
        graph = value.bound.graph
        counts = len(graph.parameters), len(graph.results)
        ports = BodyPorts(tuple(own.inputs[tag]), tuple(own.outputs[tag]), tuple(own.back_edges), *counts)
        if before is not None and own.taken.get(tag) == (graph, weights):
            return before if before.ports == ports else Body(before.graph, ports)
        own.taken[tag] = graph, weights
        if value.weights is not weights:
            facts = value.facts
            nodes = [held(node, value.weights.read, facts.get(Outlet(node.id, 0))) for node in graph.ordered()]
            graph = graph.with_nodes(nodes)
        return Body(graph, ports)

    def receive(self) -> bool:
        """Give the Parameters of the bodies the types and shapes that arrive at them; return whether one differs."""
        is_changed = False
        for tag, model in self._bodies.models.items():
            facts = self._graph.bodies.get((self._id, tag))
            for parameter, id in zip(model.parameters, self.record.bodies[tag].graph.parameters, strict=True):
                known, fact = parameter.fact(0), None if facts is None else facts.get(Outlet(id, 0))
                if fact is not None and (fact.type, str(fact.shape)) != (known.type, str(known.shape)):
                    parameter.set(fact.type, fact.shape, parameter.friendly_name)
                    is_changed = True
        return is_changed

    def validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs from those of the bodies."""
        self._connect()
        super().validate_and_infer_types()


class If(SubGraphs):
    """Runs one of two models."""

    _tags = ("then_body", "else_body")

    def __init__(self, execution_condition: Any, *, name: str | None = None) -> None:
        self._open("If", "opset8", [execution_condition], name)

    def set_then_body(self, body: Model) -> None:
        """Set the model that runs where the condition is true."""
        self._set_model("then_body", body)

    def set_else_body(self, body: Model) -> None:
        """Set the model that runs where the condition is false."""
        self._set_model("else_body", body)

    def set_function(self, index: int, func: Model) -> None:
        """Set a body by index, 0 for the first branch."""
        self._set_model(self._tags[index], func)

    def get_input_descriptions(self, index: int) -> list[InputDescription]:
        """Return the connections of the inputs with a body."""
        return self._input_descriptions(self._tags[index])

    def get_output_descriptions(self, index: int) -> list[OutputDescription]:
        """Return the connections of the outputs with a body."""
        return self._output_descriptions(self._tags[index])

    def set_input_descriptions(self, index: int, inputs: Sequence[InputDescription]) -> None:
        """Set the connections of the inputs with a body."""
        self._describe_inputs(self._tags[index], inputs)

    def set_output_descriptions(self, index: int, outputs: Sequence[OutputDescription]) -> None:
        """Set the connections of the outputs with a body."""
        self._describe_outputs(self._tags[index], outputs)

    def get_then_body(self) -> Model:
        """Return the model that runs where the condition is true; RuntimeError where it is not set."""
        return self._model("then_body")

    def get_else_body(self) -> Model:
        """Return the model that runs where the condition is false; RuntimeError where it is not set."""
        return self._model("else_body")

    def get_function(self, index: int) -> Model:
        """Return a body by index, 0 for the first branch; RuntimeError where it is not set."""
        return self._model(self._tags[index])

    def set_input(self, value: Any, then_parameter: Parameter | None, else_parameter: Parameter | None) -> None:
        """Feed a Parameter of each body from an output; None for a body that does not use it."""
        parameters = zip(self._tags, (then_parameter, else_parameter), strict=True)
        inner = {tag: self._parameter(tag, item) for tag, item in parameters if item is not None}
        external = self._add_input(value)
        for tag, index in inner.items():
            self._bodies.inputs[tag].append(BodyInput(index, external))
        self._connect()

    def set_output(self, then_result: Result, else_result: Result) -> Output:
        """Return an output that is one Result or the other."""
        inner = [self._result(tag, item) for tag, item in zip(self._tags, (then_result, else_result), strict=True)]
        for tag, index in zip(self._tags, inner, strict=True):
            self._bodies.outputs[tag].append(BodyOutput(index, self.record.outputs))
        return self._add_output()


class _Iteration(SubGraphs):
    """Runs a model repeatedly."""

    _tags = ("body",)

    def set_function(self, func: Model) -> None:
        """Set the model that is repeated."""
        self._set_model("body", func)

    def get_function(self) -> Model:
        """Return the model that is repeated; RuntimeError where it is not set."""
        return self._model("body")

    def get_input_descriptions(self) -> list[InputDescription]:
        """Return the connections of the inputs with the body."""
        return self._input_descriptions("body")

    def get_output_descriptions(self) -> list[OutputDescription]:
        """Return the connections of the outputs with the body."""
        return self._output_descriptions("body")

    def set_input_descriptions(self, inputs: Sequence[InputDescription]) -> None:
        """Set the connections of the inputs with the body."""
        self._describe_inputs("body", inputs)

    def set_output_descriptions(self, outputs: Sequence[OutputDescription]) -> None:
        """Set the connections of the outputs with the body."""
        self._describe_outputs("body", outputs)

    def set_invariant_input(self, body_parameter: Parameter, value: Any) -> None:
        """Feed a Parameter with the same value in each iteration."""
        inner = self._parameter("body", body_parameter)
        self._feed(BodyInput(inner, self._add_input(value)))

    def set_merged_input(self, body_parameter: Parameter, initial_value: Any, successive_value: Any) -> None:
        """Feed a Parameter with a value, and with a Result of the iteration before from the second one on."""
        inner, result = self._parameter("body", body_parameter), self._result("body", successive_value)
        self._bodies.back_edges.append((result, inner))
        self._feed(BodyInput(inner, self._add_input(initial_value)))

    def set_sliced_input(
        self, parameter: Parameter, value: Any, start: int, stride: int, part_size: int, end: int, axis: int
    ) -> None:
        """Feed a Parameter with a slice for each iteration."""
        inner = self._parameter("body", parameter)
        self._feed(BodyInput(inner, self._add_input(value), axis, start, end, stride, part_size))

    def _feed(self, entry: BodyInput) -> None:
        self._bodies.inputs["body"].append(entry)
        self._connect()

    def get_iter_value(self, body_value: Any, iteration: int = -1) -> Output:
        """Return an output that is a Result of the last iteration."""
        if iteration != -1:
            raise RuntimeError(f"iteration is {iteration}, expected -1, the last one")
        self._bodies.outputs["body"].append(BodyOutput(self._result("body", body_value), self.record.outputs))
        return self._add_output()

    def get_concatenated_slices(
        self, value: Any, start: int, stride: int, part_size: int, end: int, axis: int
    ) -> Output:
        """Return an output that is the values of a Result in all iterations, joined along an axis."""
        inner, external = self._result("body", value), self.record.outputs
        self._bodies.outputs["body"].append(BodyOutput(inner, external, axis, start, end, stride, part_size))
        return self._add_output()

    def get_num_iterations(self) -> int:
        """Return the number of iterations where an output shows it; otherwise -1."""
        for entry in self._bodies.outputs["body"]:
            if entry.axis is None or entry.external is None:
                continue
            dims = self.fact(entry.external).shape.dims
            if dims is not None and dims[entry.axis].is_static:
                return int(dims[entry.axis].lo) // entry.part_size
        return -1


class Loop(_Iteration):
    """Runs a model while its condition is true."""

    def __init__(self, trip_count: Any, execution_condition: Any, *, name: str | None = None) -> None:
        self._open("Loop", "opset5", [trip_count, execution_condition], name)

    def set_special_body_ports(self, special_body_ports: Sequence[int]) -> None:
        """Name the Parameter that receives the iteration, -1 for none, and the Result that is the condition."""
        iteration, condition = special_body_ports
        inputs = [entry for entry in self._bodies.inputs["body"] if entry.external is not None]
        outputs = [entry for entry in self._bodies.outputs["body"] if entry.external is not None]
        self._bodies.inputs["body"] = inputs + ([BodyInput(iteration, None)] if iteration >= 0 else [])
        self._bodies.outputs["body"] = outputs + ([BodyOutput(condition, None)] if condition >= 0 else [])
        self._connect()

    def get_special_body_ports(self) -> list[int]:
        """Return the indices of the Parameter that receives the iteration and of the condition, -1 for none."""
        entries = self._bodies.inputs["body"], self._bodies.outputs["body"]
        return [next((item.internal for item in found if item.external is None), -1) for found in entries]


class TensorIterator(_Iteration):
    """Runs a model for each slice of its inputs."""

    def __init__(self, *, name: str | None = None) -> None:
        self._open("TensorIterator", "opset1", [], name)

    def set_body(self, body: Model) -> None:
        """Set the model that is repeated."""
        self.set_function(body)

    def get_body(self) -> Model:
        """Return the model that is repeated; RuntimeError where it is not set."""
        return self.get_function()


def with_bodies(model: Model) -> Iterator[Model]:
    """Yield the bodies of the nodes of a model, the inner ones first, and then the model."""
    graph = model._graph
    for id in graph.ordered(*model._ends.ids):
        node = graph.handle(id) if graph.node(id).bodies else None
        for body in node.models if isinstance(node, SubGraphs) else ():
            yield from with_bodies(body)
    yield model


HANDLES.update({"If": If, "Loop": Loop, "TensorIterator": TensorIterator})

__all__ = ["If", "Loop", "SubGraphs", "TensorIterator", "with_bodies"]
