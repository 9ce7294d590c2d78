"""Models, as OpenVINO's ``Model``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from irrun.diagnostics import Diagnostic, near_match
from irrun.graph import Graph
from irrun.inference import Facts
from irrun.model import Loaded, build, load
from irrun.openvino.models.ends import Ends
from irrun.openvino.models.model_parts import ModelParts
from irrun.openvino.models.writing import written
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output, as_output, find_port
from irrun.openvino.nodes.variables import Variable
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.shapes import PartialShape, Shape, as_dims
from irrun.tensor import Fact

if TYPE_CHECKING:
    from irrun.openvino.values.tensor import Tensor
    from irrun.runtime import Plan


class Model(ModelParts):
    """A model. Its nodes are handles of a graph, which edits of them change.

    ``Model(results, parameters, name)`` or ``Model(results, sinks, parameters, name)`` build one. Beside OpenVINO's
    names, ``value`` is the graph with its facts, and ``diagnostics`` are the findings of reading and inference.
    """

    def __init__(self, results: Any, *arguments: Any, **named: Any) -> None:
        if isinstance(results, Model) and not arguments and not named:
            self._become(results.value, None, results.friendly_name, dict(results._notes))
            return
        given = dict(zip(_parameters(arguments), arguments, strict=False)) | named
        outputs = list(results) if isinstance(results, list | tuple) else _all_outputs(results)
        made = [_result(item) for item in outputs]
        sinks = [item.node if isinstance(item, Output) else item for item in given.get("sinks", ())]
        ends = Ends(list(given.get("parameters", ())), made, sinks)
        self._become(None, ends, given.get("name") or f"Model{id(self)}", {})
        self._variables.extend(given.get("variables", ()))
        for node in (*ends.parameters, *ends.results):
            output = Output(node, 0)
            if not output.names:
                output.set_names({node.friendly_name})
        _ = self.value

    @staticmethod
    def of(loaded: Loaded, notes: dict[str, Any] | None = None) -> Model:
        """Return the model of a file that was read."""
        model = Model.__new__(Model)
        model._become(loaded, None, loaded.friendly_name, notes)
        return model

    # -- changes

    def is_dynamic(self) -> bool:
        """Return whether a tensor of the model has a dynamic shape."""
        return any(not fact.shape.is_static for fact in self.value.facts.of.values())

    @property
    def dynamic(self) -> bool:
        """True if a tensor of the model has a dynamic shape."""
        return self.is_dynamic()

    def validate_nodes_and_infer_types(self) -> None:
        """Infer the types and shapes that edits have changed; RuntimeError where nodes do not fit together."""
        self._validate()

    @also_named("partial_shapes", "partial_shape")
    def reshape(self, partial_shapes: Any, variables_shapes: Mapping[str, Any] | None = None) -> None:
        """Give inputs new shapes: one shape for the only input, or a mapping of names, positions or ports.

        ``variables_shapes`` are those of variables by their names. A shape is a list or tuple of sizes, -1 for a
        dynamic one and a pair for an interval, a text such as ``1,3,?,2..5``, or a PartialShape. Sizes that an exporter
        wrote down are relaxed first, as in OpenVINO (``smart_reshape.py``). RuntimeError where the shapes do not fit,
        also in a body; the model stays as it was.
        """
        from irrun.openvino.models.smart_reshape import relax

        if not isinstance(partial_shapes, Mapping):
            shape = _new_shape(partial_shapes)
            if len(self._ends.parameters) != 1:
                raise RuntimeError(f"one shape is given, expected one for each of {len(self._ends.parameters)} inputs")
            partial_shapes = {0: shape}
        given: dict[Node, Fact] = {}
        for key, value in partial_shapes.items():
            shape = _new_shape(value)
            node = self._parameter(key)
            given[node] = Fact(node.fact(0).type, as_dims(shape))
        variables = _variable_shapes(variables_shapes)
        readers: dict[Node, PartialShape] = {}
        for node in self.get_ordered_ops() if variables else ():
            if node.get_type_name() == "ReadValue" and node.get_variable_id() in variables:
                readers[node] = variables[node.get_variable_id()]
        self._validate()
        before = {node: node.fact(0) for node in given}
        sizes = {node: node.get_attributes()["variable_shape"] for node in readers}
        is_other = any(str(fact.shape) != str(before[node].shape) for node, fact in given.items())
        edits = relax(self) if is_other else None
        try:
            self._set_inputs(given, readers)
            self._validate()
        except RuntimeError:
            if edits is not None:
                edits.undo()
            self._set_inputs(before, sizes)
            self._validate()
            raise

    def _set_inputs(self, facts: Mapping[Any, Fact], variables: Mapping[Any, Any]) -> None:
        for node, fact in facts.items():
            node.set(fact.type, fact.shape, node.friendly_name)
        for node, shape in variables.items():
            node.set_attribute("variable_shape", PartialShape(shape))

    def _parameter(self, key: Any) -> Any:
        if isinstance(key, Output):
            if all(key.node is not node for node in self._ends.parameters):
                raise RuntimeError(f"{key!r} is not an input of this model")
            return key.node
        return find_port(self.inputs, key, "input").node

    def add_outputs(self, outputs: Any) -> list[Output]:
        """Add Results: for tensor names, pairs of a node's name and the index of its output, or outputs."""
        given = outputs if isinstance(outputs, list) else [outputs]
        found = [_returned(self._tensor(item)) for item in given]
        known = {item.input_value(0): item for item in self._ends.results}
        made = {output: Result(output) for output in found if output not in known}
        for item in made.values():
            if not Output(item, 0).names:
                Output(item, 0).set_names({item.friendly_name})
        self._ends.results.extend(made.values())
        return [Output((known | made)[output], 0) for output in found]

    def _tensor(self, key: Any) -> Any:
        if isinstance(key, Output):
            return key
        nodes = self.get_ordered_ops()
        if isinstance(key, str):
            tensors = {name: output for node in nodes for output in node.outputs() for name in output.names}
            inner = [item for item in nodes if not isinstance(item, Result)]
            tensors |= {name: output for node in inner for output in node.outputs() for name in output.names}
            if key not in tensors:
                raise RuntimeError(f'no tensor "{key}"{near_match(key, tensors)}')
            return tensors[key]
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and isinstance(key[1], int):
            by_name = {node.friendly_name: node for node in nodes}
            if key[0] not in by_name:
                raise RuntimeError(f'no node "{key[0]}"{near_match(key[0], by_name)}')
            return by_name[key[0]].output(key[1])
        raise TypeError(f"an output is a tensor name, a pair of node name and index, or a port, got {key!r}")

    def add_results(self, results: Sequence[Result]) -> None:
        """Add Results behind the others."""
        self._ends.results.extend(results)

    def add_parameters(self, parameters: Sequence[Parameter]) -> None:
        """Add Parameters behind the others."""
        self._ends.parameters.extend(parameters)

    def add_sinks(self, sinks: Sequence[Node]) -> None:
        """Add nodes that are computed for their effect, such as Assign."""
        self._ends.sinks.extend(sinks)

    def add_variables(self, variables: Sequence[Variable]) -> None:
        """Add variables beside those of ReadValue and Assign."""
        self._variables.extend(variables)

    def remove_result(self, result: Result) -> None:
        """Remove a Result."""
        self._ends.results[:] = [item for item in self._ends.results if item is not result]

    def remove_parameter(self, parameter: Parameter) -> None:
        """Remove a Parameter, which no node should use any more."""
        self._ends.parameters[:] = [item for item in self._ends.parameters if item is not parameter]

    def remove_sink(self, sink: Node) -> None:
        """Remove a node that was computed for its effect."""
        self._ends.sinks[:] = [item for item in self._ends.sinks if item is not sink]

    def remove_variable(self, variable: Variable) -> None:
        """Remove a variable that no ReadValue or Assign names."""
        self._variables[:] = [item for item in self._variables if item.get_id() != variable.get_id()]

    def insert_parameters(self, index: int, parameters: Sequence[Parameter]) -> None:
        """Add Parameters before the one at an index."""
        self._ends.parameters[index:index] = parameters

    def replace_parameter(self, parameter_index: int, parameter: Parameter) -> None:
        """Put a Parameter in the place of another one, with its tensor names, and feed its consumers from it."""
        before = Output(self._ends.parameters[parameter_index], 0)
        for target in before.target_inputs:
            target.replace_source_output(Output(parameter, 0))
        Output(parameter, 0).add_names(before.names)
        self._ends.parameters[parameter_index] = parameter

    # -- copies

    def clone(self) -> Model:
        """Return a model with nodes of its own."""
        made = Model.of(self.value, copy.deepcopy(self._notes))
        made._name = self._name
        if self._nodes is not None:
            ids = self.value.bound.graph.nodes
            made._graph.copy_notes(self._graph, ids)
            for own, copied in zip(self._ends.parameters, made._ends.parameters, strict=True):
                copied._copy_symbols(own)
            made._validate()
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.clone()

    def __copy__(self) -> Model:
        raise TypeError("a shallow copy of a model would share its nodes; clone() copies them")

    def __reduce__(self) -> tuple[Any, ...]:
        writer = written(self.value, self.friendly_name, self.rt_info)
        return _restored, (writer.text.encode(), writer.weights)

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End the context; the model stays usable."""

    def evaluate(
        self, output_tensors: Sequence[Tensor], input_tensors: Sequence[Tensor], evaluation_context: Any = None
    ) -> bool:
        """Compute the outputs from tensors."""
        from irrun.openvino.values.tensor import Tensor

        results = build(self.value)([tensor.values() for tensor in input_tensors])
        types = [output.fact.type for output in self.outputs]
        for target, array, element in zip(output_tensors, results.to_tuple(), types, strict=True):
            target.copy_from(Tensor.of_values(array, element))
        return True

    # -- beside OpenVINO's

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings of reading and inference."""
        return self.value.diagnostics

    @property
    def graph(self) -> Graph:
        """The networkx graph at this moment, frozen: layer ids with their records, edges with their ports."""
        return self.value.graph

    @property
    def facts(self) -> Facts:
        """The inferred facts of every tensor."""
        return self.value.facts

    def plan(self) -> Plan:
        """Return the plan that computes every output as written; IRError with every obstacle."""
        return self.value.plan()

    def _repr_html_(self) -> str:
        return self.value._repr_html_()

    def __repr__(self) -> str:
        def ports(items: Sequence[Output]) -> str:
            return ",\n".join(f"<ConstOutput{repr(item).removeprefix('<Output')}" for item in items)

        return f"<Model: '{self._name}'\ninputs[\n{ports(self.inputs)}\n]\noutputs[\n{ports(self.outputs)}\n]>"


def _parameters(arguments: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names of positional arguments after the results."""
    lists = [isinstance(item, list | tuple) for item in arguments[:3]]
    if lists[:2] == [True, True]:
        return ("sinks", "parameters", "variables", "name") if lists[2:] == [True] else ("sinks", "parameters", "name")
    return ("parameters", "name")


def _all_outputs(value: Any) -> list[Any]:
    """Return the outputs of a node, or the value itself."""
    return value.outputs() if isinstance(value, Node) and not isinstance(value, Result) else [value]


def _result(value: Any) -> Result:
    """Return a Result as it is, also for its output, and a new one for the first output of a node."""
    output = value.output(0) if isinstance(value, Node) else as_output(value)
    return output.node if isinstance(output.node, Result) else Result(output)


def _returned(output: Output) -> Output:
    """Return what a Result returns for the output of one, and any other output as it is."""
    return output.node.input_value(0) if isinstance(output.node, Result) else output


def _new_shape(given: Any) -> PartialShape:
    if isinstance(given, Shape) or not isinstance(given, list | tuple | str | PartialShape):
        raise TypeError(f"a new shape is a list, a tuple, a string or a PartialShape, got {given!r}")
    return PartialShape(given)


def _variable_shapes(given: Any) -> dict[str, PartialShape]:
    """Return the new shapes of variables by their names; TypeError for other keys and shapes."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"new shapes of variables are a mapping from their names, got {given!r}")
    return {name: _new_shape(shape) for name, shape in given.items()}


def _restored(xml: bytes, weights: bytes) -> Model:
    return Model.of(load(xml, weights))
