"""Operations of users in Python, as OpenVINO's ``Op``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from irrun.diagnostics import OpError
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
from irrun.ops.operation import op
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import ANY

_KINDS: Final = (bool, int, float, str)


class _Visitor:
    """Receives the attributes of an operation, and replaces the values of those that a file has."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = values or {}
        self.found: dict[str, Any] = {}

    def on_attributes(self, attributes: dict[str, Any] | None) -> None:
        if attributes is None:
            return
        attributes.update({name: value for name, value in self._values.items() if name in attributes})
        self.found.update(attributes)


class Op(Node):
    """An operation of a user: a class with methods in OpenVINO's words.

    ``validate_and_infer_types`` calls ``set_output_type``, ``evaluate`` computes the outputs in place and returns True,
    ``clone_with_new_inputs`` returns another node with other inputs, ``visit_attributes`` hands its attributes to
    ``on_attributes`` of a visitor, and ``get_type_info`` names the operation and its domain.
    """

    _adapter: ClassVar[type[_Adapter]]
    _known: tuple[tuple[Fact | None, ...], tuple[Fact, ...]] | None = None
    """The facts of the inputs when the constructor inferred those of the outputs, and these."""

    def __init__(self, py_obj: Any = None, inputs: Sequence[Any] | None = None) -> None:
        adapter = object.__new__(_built(type(self)))
        adapter.owner = self
        info = self.get_type_info()
        self._begin(record_of(adapter, fresh_name(info.name), 0), (), ())
        if inputs is not None:
            self.set_arguments(inputs)
            self.constructor_validate_and_infer_types()

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the name of the operation and its domain: by default the name of the class, and ``extension``."""
        return _info(type(self))

    @property
    def type_info(self) -> DiscreteTypeInfo:
        """The name of the operation and its domain."""
        return self.get_type_info()

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes that ``visit_attributes`` hands to a visitor."""
        visitor = _Visitor()
        self.visit_attributes(visitor)
        return visitor.found

    def visit_attributes(self, visitor: Any) -> bool:
        """Hand the attributes to a visitor; by default there are none."""
        return True

    def clone_with_new_inputs(self, new_inputs: Sequence[Output]) -> Op:
        """Return another node with other inputs, and the same attributes."""
        made = object.__new__(type(self))
        made.__dict__.update(
            {name: value for name, value in vars(self).items() if name not in ("_graph", "_id", "_known")}
        )
        Op.__init__(made, made, new_inputs)
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


class _Adapter(Operation):
    """The operation as the graph has it; ``owner`` is the node of the user that knows its attributes."""

    inputs = (In("inputs", ANY, variadic=True, optional=True),)
    outputs = (Out("outputs", ANY, variadic=True),)
    foldable = Fold.NEVER
    made_by: ClassVar[type[Op]]
    owner: Op

    def _at(self, facts: Sequence[Fact]) -> Op:
        """Return a node of the user for inputs of these types and shapes."""
        if "owner" not in vars(self):
            values = dict(vars(self))
            self.owner = _made_alone(type(self).made_by)
            self.owner.visit_attributes(_Visitor(values))
        ends = [Parameter(of_element(fact.type), fact.shape) for fact in facts]
        return self.owner.clone_with_new_inputs([Output(end, 0) for end in ends])

    def infer(self, *inputs: Fact) -> tuple[Fact, ...]:
        known = self.owner._known if "owner" in vars(self) else None
        return known[1] if known is not None and known[0] == inputs else self._at(inputs).facts

    def texts(self) -> dict[str, str]:
        """Return the attributes as a file has them; TypeError where one has a type that no file holds."""
        values = self.owner.get_attributes() if "owner" in vars(self) else dict(vars(self))
        return {name: _text(value) for name, value in values.items()}

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


def operation_of(cls: type[Op]) -> type[_Adapter]:
    """Return the declaration of an operation for models that are read, with the attributes of a node without inputs."""
    try:
        known = {name: value for name, value in cls().get_attributes().items() if type(value) in _KINDS}
    except TypeError:
        known = {}
    fields: dict[str, Any] = {name: attr(value, doc="an attribute") for name, value in known.items()}
    return _declared(cls, fields | {"__annotations__": {name: type(value) for name, value in known.items()}})


def _made_alone(cls: type[Op]) -> Op:
    """Return a node without inputs; without calling its constructor where that needs arguments."""
    try:
        return cls()
    except TypeError:
        node = object.__new__(cls)
        Op.__init__(node)
        return node


def _built(cls: type[Op]) -> type[_Adapter]:
    """Return the declaration of an operation for nodes that are built, whose owner knows the attributes."""
    if "_adapter" not in vars(cls):
        cls._adapter = _declared(cls, {})
    return cls._adapter


def _declared(cls: type[Op], fields: dict[str, Any]) -> type[_Adapter]:
    info = _info(cls)
    facts = {"made_by": cls, "__module__": cls.__module__, "__doc__": cls.__doc__ or f"{info.name} of a user."}
    return op(info.name, opset=info.version_id)(type(info.name, (_Adapter,), fields | facts))


def _info(cls: type[Op]) -> DiscreteTypeInfo:
    found = getattr(cls, "class_type_info", None)
    return found if isinstance(found, DiscreteTypeInfo) else DiscreteTypeInfo(cls.__name__, "extension")


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"Unsupported NumPy array dtype: {value.dtype}")
        value = value.tolist()
    if isinstance(value, list | tuple):
        for item in value:
            if not isinstance(item, _KINDS):
                raise TypeError(f"Unsupported attribute type in provided list: {type(item)}")
        return ",".join(map(_text, value))
    if isinstance(value, Mapping | complex | set):
        raise TypeError(f"Unsupported attribute type: {type(value)}")
    return str(value).lower() if isinstance(value, bool) else str(value)
