"""Nodes by the name of their operation, as OpenVINO's ``utils.node_factory``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irrun.diagnostics import OpError
from irrun.openvino.exceptions import UserInputError
from irrun.openvino.nodes.node import Node, make
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import attribute_value
from irrun.openvino.running.core import Core
from irrun.ops.registry import resolve, spelling


class NodeFactory:
    """Makes nodes of the operations of an opset."""

    def __init__(self, opset_version: str = "opset13") -> None:
        self._opset = opset_version

    def create(
        self, op_type_name: str, arguments: Sequence[Any] | None = None, attributes: Mapping[str, Any] | None = None
    ) -> Node:
        """Return a node of an operation; RuntimeError where inputs or attributes do not fit it.

        UserInputError for attributes without inputs.
        """
        if arguments is None and attributes is not None:
            raise UserInputError(f"{op_type_name} has attributes, but no inputs are given")
        type = spelling(op_type_name.replace("_", "")) or op_type_name
        try:
            fields = {item.name: item for item in resolve(type, self._opset).spec.attributes}
        except OpError as error:
            raise RuntimeError(str(error)) from None
        given = {name: value for name, value in (attributes or {}).items() if name in fields}
        values = {fields[name].field: attribute_value(fields[name], value) for name, value in given.items()}
        made: Node = make(type, self._opset, self._arguments_as_outputs(arguments or ()), values)
        return made

    @staticmethod
    def _arguments_as_outputs(arguments: Sequence[Any]) -> list[Output]:
        """Return outputs as they are, and all outputs of nodes."""
        return [output for item in arguments for output in (item.outputs() if isinstance(item, Node) else [item])]

    def add_extension(self, *extensions: Any) -> None:
        """Add operations to those that the factory knows, as ``Core().add_extension`` does."""
        Core().add_extension(*extensions)
