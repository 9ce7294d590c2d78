"""Attributes of operations in the form of OpenVINO's ``get_attributes``."""

from __future__ import annotations

from typing import Any, Final

from irrun.graph import Node as Record
from irrun.openvino.values.shapes import of_dims
from irrun.tensor import ElementType, Shape

_PLACES: Final = frozenset({"offset", "size"})
"""Attributes that say where a value is in the file of weights."""


def get_attributes(record: Record) -> dict[str, Any]:
    """Return the attributes of an operation by name; those of a layer that is not understood as they are written."""
    op = record.op
    if op is None or not op.spec.attributes:
        return dict(record.layer.data) if record.layer is not None and op is None else {}
    hidden = _PLACES if record.type == "Const" else ()
    return {
        item.name: _value(getattr(op, item.field))
        for item in op.spec.attributes
        if item.name not in hidden and "." not in item.name
    }


def _value(value: Any) -> Any:
    if isinstance(value, ElementType):
        return value.name
    if isinstance(value, Shape):
        return of_dims(value)
    return list(value) if isinstance(value, tuple) else value
