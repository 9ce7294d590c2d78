"""Names of properties, and the kinds of their values."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

import numpy as np

from irrun.openvino.values.rt_info import OVAny


class Choice(Enum):
    """A value of a property that has a name and a number."""

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return int(self.value)


class Property(str):
    """The name of a property; called with a value, the pair of name and value.

    TypeError for a value of another kind, and for any value where the property can only be read.
    """

    __slots__ = ("_kinds",)
    _kinds: tuple[type, ...]

    def __new__(cls, name: str, *kinds: type) -> Property:
        made = super().__new__(cls, name)
        made._kinds = kinds
        return made

    def __call__(self, *values: Any) -> Any:
        if not values:
            return str(self)
        value = getattr(values[0], "element", values[0])
        kinds = tuple(kind for known in self._kinds for kind in (known, *_ALSO.get(known, ())))
        if len(values) > 1 or not isinstance(value, kinds):
            names = " or ".join(kind.__name__ for kind in self._kinds) or "no value, since it can only be read"
            raise TypeError(f"{self} takes {names}, got {', '.join(map(repr, values))}")
        return str(self), OVAny(bool(value) if self._kinds == (bool,) else values[0])


class Names(Property):
    """A property whose value is a list of names."""

    __slots__ = ()

    def __call__(self, *values: Any) -> Any:
        for value in values:
            if not isinstance(value, str):
                raise TypeError(f"Incorrect passed value: {value} , expected string values.")
        return (str(self), OVAny(",".join(values) + ",")) if values else str(self)


class Groups(Property):
    """A property whose value is a mapping of names to properties."""

    __slots__ = ()

    def __call__(self, *values: Any) -> Any:
        if not values:
            return str(self)
        _, groups = super().__call__(*values)
        made = {name: {str(key): OVAny(item) for key, item in group.items()} for name, group in groups.value.items()}
        return str(self), OVAny(made)


_ALSO: Final[dict[type, tuple[type, ...]]] = {bool: (int,), int: (np.integer,), float: (np.floating,)}
"""Kinds of values that are converted to a kind."""
