"""Notes on models, nodes and ports: values under keys, which may be nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Final

_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("", "0", "false", "no", "off")
_SWITCHES: Final = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)


class OVAny:
    """A value of any type."""

    __hash__: None = None  # type: ignore[assignment]
    value: Any = None

    def __init__(self, value: Any) -> None:
        self.value = value.value if isinstance(value, OVAny) else value

    def get(self) -> Any:
        """Return the value."""
        return self.value

    def set(self, value: Any) -> None:
        """Set the value."""
        self.value = value

    def astype(self, dtype: Any) -> Any:
        """Return the value as a str, int, float, bool or dict; RuntimeError where it is none."""
        try:
            if dtype is bool and isinstance(self.value, str):
                return _SWITCHES[self.value.strip().lower()]
            return dtype(self.value)
        except (KeyError, TypeError, ValueError):
            raise RuntimeError(f"{self.value!r} is no {getattr(dtype, '__name__', dtype)}") from None

    def aslist(self, dtype: Any = None) -> list[Any]:
        """Return the values of a list, or of a text with spaces or commas, converted to a type if any."""
        items = self.value.replace(",", " ").split() if isinstance(self.value, str) else list(self.value)
        return items if dtype is None else [OVAny(item).astype(dtype) for item in items]

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __len__(self) -> int:
        return len(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, OVAny) else other))

    def __repr__(self) -> str:
        return f"<OVAny class: {self.value!r}>"


class RTMap(MutableMapping[str, Any]):
    """Values under names."""

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._items: MutableMapping[str, Any] = dict(items or {})

    @staticmethod
    def over(items: MutableMapping[str, Any]) -> RTMap:
        """Return a view of a mapping: changes of it change the mapping."""
        made = RTMap()
        made._items = items
        return made

    def __getitem__(self, key: str) -> Any:
        return shown(self._items[key])

    def __setitem__(self, key: str, value: Any) -> None:
        self._items[key] = plain(value)

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def shown(value: Any) -> Any:
    """Return a value as callers get it: an OVAny, or a dictionary of them."""
    return {key: shown(item) for key, item in value.items()} if isinstance(value, Mapping) else OVAny(value)


def plain(value: Any) -> Any:
    """Return a value, or the values of a dictionary, without OVAny."""
    value = value.value if isinstance(value, OVAny) else value
    return {key: plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def text(value: Any) -> Any:
    """Return a value as a file has it: values of a list with spaces, YES or NO; mappings by their keys."""
    if isinstance(value, Mapping):
        return {key: text(item) for key, item in sorted(value.items())}
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, list | tuple):
        return " ".join(str(int(item)) if isinstance(item, bool) else _number(item) for item in value)
    return _number(value)


def _number(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def find(notes: Mapping[str, Any], path: Sequence[str] | str) -> Any:
    """Return the value at a path of keys; KeyError where there is none."""
    value: Any = notes
    for key in [path] if isinstance(path, str) else path:
        if not isinstance(value, Mapping):
            raise KeyError(key)
        value = value[key]
    return value


def store(notes: dict[str, Any], value: Any, path: Sequence[str] | str) -> None:
    """Store a value at a path of keys."""
    keys = [path] if isinstance(path, str) else list(path)
    for key in keys[:-1]:
        notes = notes.setdefault(key, {})
    notes[keys[-1]] = plain(value)
