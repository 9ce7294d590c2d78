"""Passes that make variables of inputs and outputs, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from irrun.openvino.models.model import Model
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.variables import Assign, ReadValue, Variable, VariableInfo
from irrun.openvino.passes.rewriting import ModelPass
from irrun.openvino.values.dimensions import Dimension
from irrun.openvino.values.shapes import PartialShape

BEAMS: Final = "beam_idx"
"""The input of a language model that orders the sequences of its states."""

_CACHE: Final = re.compile(r"(past_key_values\.\d+\.(?:key|value))(present\.\d+\.(?:key|value))")


class MakeStateful(ModelPass):
    """Replace pairs of a Parameter and a Result, given as such or by names, by variables that begin with zeros.

    ``variables`` are their names, by default those of both ends.
    """

    def __init__(
        self,
        pairs_to_replace: Mapping[str, str] | Sequence[tuple[Parameter, Result]],
        *,
        variables: Sequence[str] | None = None,
    ) -> None:
        pairs = pairs_to_replace.items() if isinstance(pairs_to_replace, Mapping) else pairs_to_replace
        self._pairs: list[tuple[Any, Any]] = list(pairs)
        self._names = variables or [f"{_title(first)}{_title(second)}" for first, second in self._pairs]

    def run_on_model(self, model: Model) -> bool:
        """Change a model; return whether it was changed."""
        for (first, second), name in zip(self._pairs, self._names, strict=True):
            parameter: Any = model.input(first).node if isinstance(first, str) else first
            result: Any = model.output(second).node if isinstance(second, str) else second
            info = VariableInfo(parameter.partial_shape, parameter.element_type, name)
            variable = Variable(info)
            read = ReadValue(variable)
            read.output(0).set_names(parameter.output(0).names)
            for target in parameter.output(0).target_inputs:
                target.replace_source_output(read.output(0))
            source = result.input_value(0)
            source.add_names(Output(result, 0).names)
            model.add_sinks([Assign(source, variable)])
            model.remove_result(result)
            model.remove_parameter(parameter)
        return bool(self._pairs)


def make_stateless(model: Model, variables: Sequence[str] | None = None) -> list[str]:
    """Replace variables, by default all, by inputs and outputs behind the others; return their names.

    A variable of the cache of a language model gets the names that it was made of, another one ``input_restored.NAME``
    and ``output_restored.NAME``. Where all are replaced, an input ``beam_idx`` that only orders their sequences goes
    with them, and their first dims become dynamic. RuntimeError for variables that are unknown, or never assigned.
    """
    nodes = model.get_ordered_ops()
    readers = {node.get_variable_id(): node for node in nodes if node.get_type_name() == "ReadValue"}
    assigns = {node.get_variable_id(): node for node in model.get_sinks() if node.get_type_name() == "Assign"}
    beams = _beams(model) if variables is None else None
    wanted = [name for name in assigns if name in readers] if variables is None else list(variables)
    for name in wanted:
        if name not in readers or name not in assigns:
            raise RuntimeError(f'the model has no variable "{name}" that is read and assigned')
        first, second = _names(name)
        read, assign = readers[name], assigns[name]
        shape = PartialShape(read.get_output_partial_shape(0))
        if beams is not None and shape.rank.is_static and len(shape):
            shape[0] = Dimension(-1)
        parameter = Parameter(read.get_element_type(), shape, name=first)
        parameter.output(0).set_names({first})
        for output in (read.output(0), *_ordered(read, beams)):
            for target in output.target_inputs:
                if beams is None or not _orders(target.node, beams) or target.index:
                    target.replace_source_output(parameter.output(0))
        model.add_parameters([parameter])
        result = Result(assign.input_value(0), name=second)
        Output(result, 0).set_names({second})
        model.add_results([result])
        model.remove_sink(assign)
    if beams is not None and not any(target.node in model.get_ops() for target in beams.output(0).target_inputs):
        model.remove_parameter(beams)
    return wanted


def _beams(model: Model) -> Parameter | None:
    """Return the input that orders the sequences of states; None where there is none."""
    for parameter in model.get_parameters():
        if parameter.friendly_name == BEAMS or BEAMS in parameter.output(0).names:
            return parameter
    return None


def _ordered(read: Node, beams: Parameter | None) -> list[Output]:
    """Return the outputs of the layers that order the sequences of a state."""
    users = [target.node for target in read.output(0).target_inputs]
    return [] if beams is None else [user.output(0) for user in users if _orders(user, beams)]


def _orders(node: Node, beams: Parameter) -> bool:
    return node.get_type_name() == "Gather" and node.input_value(1).node is beams


def _names(variable: str) -> tuple[str, str]:
    found = _CACHE.fullmatch(variable)
    return (found[1], found[2]) if found is not None else (f"input_restored.{variable}", f"output_restored.{variable}")


def _title(end: Any) -> str:
    return end if isinstance(end, str) else str(end.friendly_name)
