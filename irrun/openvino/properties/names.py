"""Names of properties, and the kinds of their values."""

from __future__ import annotations

from enum import Enum
from typing import Any


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
        if len(values) > 1 or not isinstance(value, self._kinds):
            names = " or ".join(kind.__name__ for kind in self._kinds) or "no value, since it can only be read"
            raise TypeError(f"{self} takes {names}, got {', '.join(map(repr, values))}")
        return str(self), values[0]
