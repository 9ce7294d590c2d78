"""A property by name."""

from __future__ import annotations

from typing import Any


class Property:
    """A function that returns the name of a property, or the pair of its name and a value."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *value: Any) -> Any:
        return (self._name, value[0]) if value else self._name

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        return str(other) == self._name if isinstance(other, str | Property) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._name)
