"""Nodes with classes of their own: ``op.Parameter``, ``op.Constant``, ``op.Result``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun.document.info import LAYOUT
from irrun.model.loaded import require_unchanged
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import constant_fact, element, fresh_name, record_of
from irrun.openvino.nodes.workspace import HANDLES
from irrun.openvino.values.layout import Layout
from irrun.openvino.values.shapes import PartialShape, as_dims, of_dims
from irrun.openvino.values.tensor import Tensor
from irrun.openvino.values.types import Type
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.ops._declared.infrastructure.parameter import Parameter as ParameterOp
from irrun.ops._declared.infrastructure.result import Result as ResultOp
from irrun.tensor import Array, ElementType, Fact
from irrun.tensor import Shape as Dims
from irrun.tensor.packing import storage_size


class _ModelPort(Node):
    """An input or output of a model, with the layout of its tensor."""

    def get_layout(self) -> Layout:
        """Return the names of the axes."""
        notes = Output(self, 0).get_rt_info()
        return Layout(notes[LAYOUT].astype(str)) if LAYOUT in notes else Layout()

    def set_layout(self, layout: Any) -> None:
        """Set the names of the axes; RuntimeError where the tensor has another number of axes."""
        notes, made = Output(self, 0).get_rt_info(), layout if isinstance(layout, Layout) else Layout(layout)
        if not made.fits(self.fact(0).shape.rank):
            what = f'the layout {made} does not fit "{self.friendly_name}" of shape {of_dims(self.fact(0).shape)}'
            raise RuntimeError(what)
        if not made.empty:
            notes[LAYOUT] = made
        elif LAYOUT in notes:
            del notes[LAYOUT]

    layout: property = property(get_layout, set_layout)


class Parameter(_ModelPort):
    """An input of a model."""

    def __init__(self, element_type: Any, shape: Any, *, name: str | None = None) -> None:
        self.set(element(element_type), as_dims(shape), name or fresh_name("Parameter"))

    def set(self, type: ElementType, shape: Dims, name: str) -> None:
        """Set the type and the shape."""
        op, fact = ParameterOp(element_type=type, shape=shape), Fact(type, shape.named(name, declared=True))
        if "_graph" not in self.__dict__:
            self._begin(record_of(op, name), (), (fact,))
        else:
            self._update(self.record._replace(op=op))
            self._graph.give(self._id, (fact,))

    def get_partial_shape(self) -> PartialShape:
        """Return the shape, whose sizes may be dynamic."""
        return self.get_output_partial_shape(0)

    def set_partial_shape(self, partial_shape: Any) -> None:
        """Set the shape; the model infers the others again when it is validated."""
        self.set(self.fact(0).type, as_dims(partial_shape), self.friendly_name)

    def _copy_symbols(self, other: Parameter) -> None:
        """Take the symbols of the sizes of a Parameter of the same shape."""
        fact = other.fact(0)
        if any(size.declared is not None for size in fact.shape.dims or ()):
            self.set(fact.type, fact.shape, self.friendly_name)

    def get_shape(self) -> list[int]:
        """Return the sizes as a list; RuntimeError where one is dynamic."""
        return list(self.shape)

    def set_element_type(self, element_type: Any) -> None:
        """Set the type of the elements."""
        self.set(element(element_type), self.fact(0).shape, self.friendly_name)

    partial_shape: property = property(get_partial_shape, set_partial_shape)
    element_type: property = property(Node.get_element_type, set_element_type)

    def __repr__(self) -> str:
        fact = self.fact(0)
        names = {"f32": "float", "f64": "double", "i32": "int32_t", "i64": "int64_t"}
        return (
            f"<Parameter: '{self.friendly_name}' ({of_dims(fact.shape)}, {names.get(fact.type.name, fact.type.name)})>"
        )


NOT_SHARED: Final = "SHARED MEMORY MODE FOR THIS CONSTANT IS NOT APPLICABLE! The array is not contiguous"


class Constant(Node):
    """A constant tensor: ``Constant(array)``, ``Constant(Type.f32, Shape([2]), [1, 2])``, ``Constant(tensor)``.

    With ``shared_memory`` it has the values that the array or tensor has at any time.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        if arguments and isinstance(arguments[0], Type | ElementType):
            values = arguments[2] if len(arguments) > 2 else named.get("values", 0)
            fact = constant_fact(values, element(arguments[0]), list(arguments[1]))
        else:
            value = arguments[0] if arguments else named.get("array", named.get("tensor"))
            if value is None:
                raise TypeError("a Constant is made of an array, of a tensor, or of a type, a shape and values")
            shared = bool(arguments[1] if len(arguments) > 1 else named.get("shared_memory", False))
            if shared and isinstance(value, np.ndarray) and not value.flags.c_contiguous:
                raise RuntimeError(
                    "SHARED MEMORY MODE FOR THIS CONSTANT IS NOT APPLICABLE! The array is not contiguous"
                )
            fact = constant_fact(value, shared=shared)
        self._hold(fact, named.get("name"))

    @staticmethod
    def of_fact(fact: Fact, name: str | None = None) -> Constant:
        """Return a constant with the type, shape and values of a fact."""
        node = Constant.__new__(Constant)
        node._hold(fact, name)
        return node

    def _hold(self, fact: Fact, name: str | None) -> None:
        self._begin(record_of(HeldConst.of(fact), name or fresh_name("Constant")), (), (fact,))

    def get_tensor_view(self) -> Tensor:
        """Return the values as a tensor; RuntimeError where they are not known, or where their file was changed."""
        fact = self.fact(0)
        values = fact.constant
        if not isinstance(self.record.op, HeldConst):
            require_unchanged(self._graph.weights, "")
        if values is None:
            what = f'the values of constant "{self.friendly_name}" are not known: there is no file of weights'
            raise RuntimeError(what)
        values = values.astype(fact.type.external, copy=False) if fact.type.kind != "string" else values
        return Tensor.of_values(values, fact.type)

    tensor_view: property = property(get_tensor_view)
    tensor: property = property(get_tensor_view)

    @property
    def data(self) -> Array:
        """The values."""
        return self.get_tensor_view().data

    value = data

    def get_data(self, *, dtype: Any = None, copy: bool = False) -> Array:
        """Return the values, converted to a NumPy type if any; as a copy where asked for."""
        data = self.data
        if dtype is None or (np.dtype(dtype) == data.dtype and not self.fact(0).type.bits < 8):
            return data.copy() if copy else data.view()
        values: Array = self.tensor.values().astype(dtype)
        return values

    def get_vector(self) -> Array:
        """Return the values as one row; elements of less than a byte are not packed there."""
        is_packed = self.tensor.get_element_type().bitwidth < 8
        values: Array = self.tensor.values() if is_packed else self.data
        return values.reshape(-1)

    def get_strides(self) -> list[int]:
        """Return the distances of neighbours along each axis, in bytes."""
        return list(self.data.strides)

    strides: property = property(get_strides)

    def get_value_strings(self) -> list[str]:
        """Return the elements as texts."""
        return [_text(item) for item in self.tensor.values().reshape(-1).tolist()]

    def get_byte_size(self) -> int:
        """Return the number of bytes."""
        fact = self.fact(0)
        return storage_size(fact.type.name, int(np.prod(fact.shape.static)))


class Result(_ModelPort):
    """An output of a model."""

    def __init__(self, source: Any, *, name: str | None = None) -> None:
        if not isinstance(source, Output):
            raise TypeError(f"a Result is made of an output, such as node.output(0), got {source!r}")
        record = record_of(ResultOp(), name or fresh_name("Result"))
        self._begin(record, [(source.node, source.index)], (source.fact,))


def _text(item: Any) -> str:
    if isinstance(item, float):
        return {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}.get(str(item)) or f"{item:.6g}"
    return str(int(item) if isinstance(item, bool) else item)


HANDLES.update({"Parameter": Parameter, "Const": Constant, "Result": Result})

__all__ = ["Constant", "Parameter", "Result"]
