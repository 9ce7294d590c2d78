"""Operations of users in Python, as OpenVINO's ``Op`` and ``OpExtension``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from irrun.diagnostics import OpError
from irrun.openvino.nodes.custom_attributes import declared, kind_of, restored, texts
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import fresh_name, record_of
from irrun.openvino.values.shapes import PartialShape, as_dims
from irrun.openvino.values.tensor import Tensor, TensorVector
from irrun.openvino.values.type_info import DiscreteTypeInfo
from irrun.openvino.values.types import Type, element_of, of_element
from irrun.ops import Op as Operation
from irrun.ops.declaration import Fold, In, Out, attr
from irrun.ops.operation import OpClass, op
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import ANY

_OF_THE_GRAPH: Final = ("_graph", "_id", "_known")
"""The attributes of a node that belong to its graph, which its copies do not share."""


class _Visitor:
    """Receives the attributes of an operation, and replaces the values of those that a file has."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = values or {}
        self.found: dict[str, Any] = {}

    def on_attributes(self, attributes: dict[str, Any] | None) -> None:
        if attributes is None:
            return
        for name in attributes.keys() & self._values.keys():
            attributes[name] = restored(attributes[name], self._values[name])
        self.found.update(attributes)


class Op(Node):
    """An operation of a user: a class with methods in OpenVINO's words.

    ``validate_and_infer_types`` calls ``set_output_type``, ``evaluate`` computes the outputs in place and returns True,
    ``clone_with_new_inputs`` returns another node with other inputs, ``visit_attributes`` hands its attributes to
    ``on_attributes`` of a visitor, and ``get_type_info`` names the operation and its domain. A model that is read has
    nodes of the class, which are made without arguments; their inputs and attributes are set afterwards.
    """

    _adapters: ClassVar[dict[tuple[str, str], type[_Adapter]]]
    _known: tuple[tuple[Fact | None, ...], tuple[Fact, ...]] | None = None
    """The facts of the inputs when the constructor inferred those of the outputs, and these."""

    def __init__(self, py_obj: Any = None, inputs: Sequence[Any] | None = None) -> None:
        info = _require_info(self)
        self._begin(record_of(_owned(self, info), fresh_name(info.name), 0), (), ())
        if inputs:
            self.set_arguments(inputs)
            self.constructor_validate_and_infer_types()

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the name of the operation and its domain: by default the name of the class, and ``extension``."""
        return DiscreteTypeInfo(type(self).__name__, "extension")

    @property
    def type_info(self) -> DiscreteTypeInfo:
        """The name of the operation and its domain."""
        return self.get_type_info()

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes that ``visit_attributes`` hands to a visitor."""
        visitor = _Visitor()
        self.visit_attributes(visitor)
        return visitor.found

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute that ``visit_attributes`` hands to a visitor; RuntimeError where there is none."""
        if name not in self.get_attributes():
            raise RuntimeError(f"{self.get_type_name()} has no attribute {name!r}")
        self.visit_attributes(_Visitor({name: value}))
        self._update(self.record._replace(op=_owned(self, self.get_type_info())))

    def visit_attributes(self, visitor: Any) -> bool:
        """Hand the attributes to a visitor; by default there are none."""
        return True

    def clone_with_new_inputs(self, new_inputs: Sequence[Output]) -> Op:
        """Return another node with other inputs, and the same attributes."""
        made = self._copied()
        made.set_arguments(new_inputs)
        made.constructor_validate_and_infer_types()
        return made

    def _copied(self) -> Op:
        """Return a node without inputs with the same attributes."""
        made = object.__new__(type(self))
        state = {name: value for name, value in vars(self).items() if name not in _OF_THE_GRAPH}
        made.__dict__.update({name: copy.copy(value) for name, value in state.items()})
        Op.__init__(made, made)
        return made

    def has_evaluate(self) -> bool:
        """Return whether ``evaluate`` computes the outputs."""
        return type(self).evaluate is not Node.evaluate

    def set_output_size(self, size: int) -> None:
        """Set the number of outputs."""
        known = (*self.facts, *(Fact.unknown(),) * size)
        self._update(self.record._replace(outputs=size, names=((),) * size))
        self._graph.give(self._id, known[:size])

    def set_output_type(self, index: int, element_type: Type, shape: PartialShape) -> None:
        """Set the type and the shape of an output, which is added where it is the next one."""
        if index >= self.record.outputs:
            self.set_output_size(index + 1)
        made = Fact(element_type.element, as_dims(shape))
        self._graph.give(self._id, (*self.facts[:index], made, *self.facts[index + 1 :]))

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the types and shapes of the outputs, at the end of a constructor."""
        self.validate_and_infer_types()
        self._known = tuple(self._graph.inputs(self._id)), self.facts
        self._graph.touch(self._id)

    @classmethod
    def declared_operations(cls) -> tuple[OpClass, ...]:
        """Return the declaration of the operation for models that are read; none for a base of others.

        A node is made without arguments, whose exceptions are passed on. TypeError where its type info is none, or
        where it has no ``validate_and_infer_types``.
        """
        infers = cls.validate_and_infer_types is not Node.validate_and_infer_types
        if not infers and cls.get_type_info is Op.get_type_info:
            return ()
        if "_reader" not in vars(cls):
            cls._reader = _reader(cls)
        if not infers:
            raise TypeError(f"{cls.__name__} has no validate_and_infer_types")
        return (cls._reader,)

    _reader: ClassVar[type[_Adapter]]


class OpExtension:
    """A class of operations as an extension, as ``Core.add_extension`` accepts it."""

    def __init__(self, py_type: type) -> None:
        if not (isinstance(py_type, type) and issubclass(py_type, Op)):
            what = f"Unsupported data type : '{py_type!r}' is passed as an argument."
            raise RuntimeError(f"{what} Expected a class that derives from Op")
        self._class = py_type

    def declared_operations(self) -> tuple[OpClass, ...]:
        """Return the declaration of the operation; as that of the class."""
        return self._class.declared_operations()

    def __repr__(self) -> str:
        return f"OpExtension({self._class.__name__})"


class _Adapter(Operation):
    """The operation as the graph has it; the attributes are those that were read, or those of a node of the user."""

    inputs = (In("inputs", ANY, variadic=True, optional=True),)
    outputs = (Out("outputs", ANY, variadic=True),)
    foldable = Fold.NEVER
    made_by: ClassVar[type[Op]]
    owner: Op | None = None

    def _values(self) -> dict[str, Any]:
        """Return the attributes that were read, by name."""
        return {item.name: getattr(self, item.field) for item in self.spec.attributes}

    def _alone(self) -> Op:
        """Return a node of the user without inputs."""
        if self.owner is not None:
            return self.owner._copied()
        node = self.made_by()
        node.visit_attributes(_Visitor(self._values()))
        return node

    def _at(self, facts: Sequence[Fact]) -> Op:
        """Return a node of the user for inputs of these types and shapes."""
        ends = [Output(Parameter(of_element(fact.type), fact.shape), 0) for fact in facts]
        if self.owner is not None:
            return self.owner.clone_with_new_inputs(ends)
        node = self._alone()
        node.set_arguments(ends)
        node.constructor_validate_and_infer_types()
        return node

    def node_of_user(self) -> Op:
        """Return a node of the user for the workspace of a model, whose attributes are those of this operation."""
        return self._alone()

    def infer(self, *inputs: Fact) -> tuple[Fact, ...]:
        known = None if self.owner is None else self.owner._known
        return known[1] if known is not None and known[0] == inputs else self._at(inputs).facts

    def texts(self, before: Mapping[str, str] | None) -> dict[str, str]:
        """Return the attributes as a file has them, and as they stand in ``before`` if that says the same.

        TypeError where one has a type that no file holds.
        """
        if self.owner is None:
            return texts(self._values()) if before is None else dict(before)
        cls = type(self.owner)
        known = {item.name: item for item in cls._reader.spec.attributes} if "_reader" in vars(cls) else {}
        return texts(self.owner.get_attributes(), before, known)

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        types = [element_of(array.dtype) for array in inputs]
        node = self._at([Fact.of(type, array) for type, array in zip(types, inputs, strict=True)])
        shapes = [node.get_output_partial_shape(index) for index in range(node.get_output_size())]
        outputs = TensorVector(
            Tensor(node.get_output_element_type(index), shape.get_min_shape()) for index, shape in enumerate(shapes)
        )
        given = TensorVector(Tensor.of_values(np.ascontiguousarray(a), t) for a, t in zip(inputs, types, strict=True))
        if type(node).evaluate is Node.evaluate or not node.evaluate(outputs, given):
            raise OpError(f"{type(node).__name__} has no evaluate, or one that returned False")
        return tuple(tensor.values() for tensor in outputs)


def _owned(node: Op, info: DiscreteTypeInfo) -> _Adapter:
    """Return the operation of a node, which knows the attributes."""
    cls, key = type(node), (info.name, info.version_id)
    if "_adapters" not in vars(cls):
        cls._adapters = {}
    if key not in cls._adapters:
        cls._adapters[key] = _declared(cls, info, {})
    adapter = object.__new__(cls._adapters[key])
    adapter.owner = node
    return adapter


def _reader(cls: type[Op]) -> type[_Adapter]:
    """Return the declaration for models that are read, with the attributes of a node without inputs."""
    node = cls()
    fields: dict[str, Any] = {"__annotations__": {}}
    for name, value in node.get_attributes().items():
        kind = kind_of(value)
        if kind is not None:
            field = f"attribute_{name}"
            fields[field] = attr(declared(value), name=name, doc="an attribute")
            fields["__annotations__"][field] = kind
    return _declared(cls, node.get_type_info(), fields)


def _require_info(node: Op) -> DiscreteTypeInfo:
    """Return the type info of a node; TypeError where it is none."""
    info = node.get_type_info()
    if not isinstance(info, DiscreteTypeInfo):
        raise TypeError(f"operation type_info must be an instance of DiscreteTypeInfo, but {type(info)} is passed.")
    return info


def _declared(cls: type[Op], info: DiscreteTypeInfo, fields: dict[str, Any]) -> type[_Adapter]:
    hooks = {"infer": cls.validate_and_infer_types, "run": cls.evaluate}
    facts = {"made_by": cls, "hooks": hooks, "__module__": cls.__module__}
    facts["__doc__"] = cls.__doc__ or f"{info.name} of a user."
    return op(info.name, opset=info.version_id)(type(info.name, (_Adapter,), fields | facts))
