"""Attributes of operations of users: from values to the texts of a file and back, as OpenVINO's visitors do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from irrun.diagnostics import OpError
from irrun.openvino.values.dimensions import Dimension
from irrun.openvino.values.shapes import PartialShape, as_dims, of_dims
from irrun.ops.attributes import AttrSpec
from irrun.tensor import Shape

_SCALARS: Final = (bool, int, float, str)


def kind_of(value: Any) -> Any:
    """Return the type by which an attribute with this default is declared; None for one that no file holds."""
    if isinstance(value, PartialShape):
        return Shape
    if isinstance(value, Dimension):
        return str
    items = _items(value)
    if items is None:
        value = _plain(value)
        return type(value) if type(value) in _SCALARS else None
    kinds = {type(_plain(item)) for item in items}
    if kinds == {str}:
        return tuple[str, ...]
    if kinds and kinds <= {bool, int}:
        return tuple[int, ...]
    return tuple[float, ...] if kinds and kinds <= {bool, int, float} else None


def declared(value: Any) -> Any:
    """Return the default of a declaration for the value of an attribute."""
    if isinstance(value, PartialShape):
        return as_dims(value)
    if isinstance(value, Dimension):
        return str(value)
    items = _items(value)
    return _plain(value) if items is None else tuple(map(_plain, items))


def restored(default: Any, value: Any) -> Any:
    """Return a value that was read in the form of the default: a list for a list, an array for an array."""
    if isinstance(value, Shape):
        return of_dims(value)
    if isinstance(default, Dimension):
        return Dimension(str(value))
    if isinstance(default, np.ndarray | np.generic):
        return np.asarray(value, default.dtype)[()]
    if isinstance(default, list | tuple):
        are_booleans = bool(default) and all(isinstance(item, bool) for item in default)
        return type(default)(map(bool, value) if are_booleans else value)
    return value


def text(value: Any) -> str:
    """Return the text of an attribute; TypeError for a type that no file holds."""
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biuf":
        raise TypeError(f"Unsupported NumPy array dtype: {value.dtype}")
    items = _items(value)
    if items is not None:
        for item in items:
            if not isinstance(item, (*_SCALARS, np.generic)):
                raise TypeError(f"Unsupported attribute type in provided list: {type(item)}")
        return ", ".join(str(int(item)) if isinstance(item, bool) else text(item) for item in items)
    if isinstance(value, PartialShape):
        return str(as_dims(value)).removeprefix("[").removesuffix("]")
    plain = _plain(value)
    if not isinstance(plain, (*_SCALARS, Dimension)):
        raise TypeError(f"Unsupported attribute type: {type(value)}")
    return str(plain).lower() if isinstance(plain, bool) else str(plain)


def texts(
    values: Mapping[str, Any],
    before: Mapping[str, str] | None = None,
    known: Mapping[str, AttrSpec] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the texts of attributes; where they say the same, those of ``before``, which a file has.

    ``known`` are the declarations by which the file was read. TypeError for a type that no file holds.
    """
    if before is None:
        return {name: text(value) for name, value in values.items()}
    found = dict(before)
    for name, value in values.items():
        if name not in known or _said(known[name], before.get(name)) != declared(value):
            found[name] = text(value)
    return found


def _said(spec: AttrSpec, text: str | None) -> Any:
    """Return the value that a file states for an attribute, which is the default where it is absent."""
    try:
        return spec.default if text is None else spec.read(text)
    except OpError:
        return None


def _items(value: Any) -> list[Any] | None:
    """Return the elements of a list, a tuple or an array; None for a single value."""
    if isinstance(value, np.ndarray) and value.ndim:
        return list(value.reshape(-1).tolist())
    return list(value) if isinstance(value, list | tuple) else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) else value
