"""Attributes of operations as text, those with their usual values left out."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from irrun.kernels.elementwise import Elementwise
from irrun.ops import Op
from irrun.ops._declared.fused.base import Fused
from irrun.reporting.plans.lines import array_text, fact_text
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import F32


def attributes_of(op: Op | None) -> dict[str, str]:
    """Return the attributes of an operation; of one that the optimiser made, its fields."""
    if op is None:
        return {}
    if isinstance(op, Fused):
        return dict(_of_fused(op))
    values = {spec.name: (getattr(op, spec.field), spec) for spec in op.spec.attributes}
    return {
        name: spec.text(value).replace(", ", ",")
        for name, (value, spec) in values.items()
        if value is not None and not _equal(value, spec.default)
    }


def _of_fused(op: Fused) -> Iterator[tuple[str, str]]:
    for cls in type(op).__mro__[: type(op).__mro__.index(Fused)]:
        for name in inspect.get_annotations(cls):
            value = getattr(op, name)
            text = None if name.startswith("_") or _equal(value, vars(cls).get(name)) else _text(value)
            if text is not None:
                yield name, text
    precision = getattr(op, "precision", F32)
    if precision not in (F32, F32.name):
        yield "precision", str(precision)


def _equal(value: Any, default: Any) -> bool:
    return not isinstance(value, np.ndarray) and bool(value == default)


def _text(value: Any) -> str | None:
    """The text of a value; None for absent ones and False."""
    match value:
        case None | False:
            return None
        case True:
            return "true"
        case np.ndarray():
            return f"{value.item():g}" if value.size == 1 and value.dtype.kind == "f" else array_text(value)
        case Op():
            return f"{value.type}{braces(attributes_of(value))}"
        case Elementwise():
            return value.name + (
                f"({', '.join(f'{number:g}' for number in value.parameters)})" * bool(value.parameters)
            )
        case float():
            return f"{value:g}"
        case int() | str() | ElementType() | Shape():
            return str(value)
        case Fact():
            return fact_text(value)
    if dataclasses.is_dataclass(value):
        return _record({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if hasattr(value, "_asdict"):
        return _record(value._asdict())
    if isinstance(value, tuple | list):
        return ",".join(text for item in value if (text := _text(item)) is not None) or None
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f"[{','.join(map(str, shape))}]" if isinstance(shape, tuple) else "")


def _record(fields: Mapping[str, Any]) -> str:
    return braces({name: text for name, value in fields.items() if (text := _text(value)) is not None})


def braces(attributes: Mapping[str, str]) -> str:
    """Return attributes in braces; nothing for none."""
    return f"{{{', '.join(f'{name} {text}' for name, text in attributes.items())}}}" if attributes else ""
