"""Calls the same check on two modules and compares what it returns or raises."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Check = Callable[[Any], Any]


def outcome(check: Check, module: Any) -> Any:
    """Return the plain form of the result of a check, or the kind of the exception that it raises."""
    try:
        return plain(check(module))
    except Exception as error:
        return f"raises {kind(error)}"


def kind(error: BaseException) -> str:
    """Return the nearest class of an exception that belongs to the language."""
    kinds = (NotImplementedError, RuntimeError, TypeError, KeyError, IndexError, AttributeError, ValueError)
    return next((item.__name__ for item in kinds if isinstance(error, item)), type(error).__name__)


def plain(value: Any) -> Any:
    """Return a value without the module that it comes from: texts, numbers, lists, and arrays as lists."""
    if value is None or isinstance(value, bool | int | str | bytes):
        return value
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, np.ndarray):
        data = value.tolist() if value.dtype.kind != "f" else np.round(value.astype(np.float64), 3).tolist()
        return ["array", str(value.dtype), list(value.shape), repr(data)]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.dtype | type):
        return str(np.dtype(value)) if isinstance(value, np.dtype) else value.__name__
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, map(plain, value)))
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    name = type(value).__name__
    if name in ("Shape", "PartialShape", "Dimension", "Type", "Layout", "Strides", "AxisSet"):
        return f"{name} {value}"
    if name in ("Tensor",):
        return [name, plain(value.element_type), plain(value.shape)]
    return re.sub(r" at 0x[0-9a-f]+", "", name)
