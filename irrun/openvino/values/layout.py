"""Names of the axes of a tensor, as OpenVINO's ``Layout``."""

from __future__ import annotations

from typing import Any, Final

_LONG: Final = {"BATCH": "N", "CHANNELS": "C", "CHANNEL": "C", "HEIGHT": "H", "WIDTH": "W", "DEPTH": "D"}
_SCALAR: Final = "**SCALAR**"
_REST: Final = "..."
_ANY: Final = "?"


class Layout:
    """The axes of a tensor by name: ``NCHW``, ``[batch,channels,...]``, ``N?HW``."""

    __slots__ = ("_names", "_scalar")
    __hash__: None = None  # type: ignore[assignment]

    def __init__(self, layout_str: str = "") -> None:
        if not isinstance(layout_str, str):
            raise TypeError(f"a Layout is made of a string, got {layout_str!r}")
        self._scalar = layout_str == _SCALAR
        self._names = () if self._scalar else _names(layout_str.strip())

    @staticmethod
    def scalar() -> Layout:
        """Return the layout of a scalar."""
        return Layout(_SCALAR)

    @property
    def empty(self) -> bool:
        """True if no axes are described."""
        return not self._names and not self._scalar

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each axis; ``?`` for any, and ``...`` for any number of axes."""
        return self._names

    def has_name(self, dimension_name: str) -> bool:
        """Return whether an axis has a name."""
        return _short(dimension_name) in self._names

    def get_index_by_name(self, dimension_name: str) -> int:
        """Return the axis, counted from the end where it follows ``...``; RuntimeError where there is none."""
        short = _short(dimension_name)
        if short not in self._names:
            raise RuntimeError(f"the layout {self} has no axis {dimension_name!r}")
        index = self._names.index(short)
        return index - len(self._names) if _REST in self._names[:index] else index

    def fits(self, rank: int | None) -> bool:
        """Return whether a tensor of a rank may have the layout; one of unknown rank may."""
        if rank is None or self.empty:
            return True
        count = len(self._names)
        return rank >= count - 1 if _REST in self._names else rank == count

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            other = Layout(other)
        return isinstance(other, Layout) and (self._names, self._scalar) == (other._names, other._scalar)

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, ("" if self.empty else str(self),)

    def __str__(self) -> str:
        """Return the text form, such as [N,C,H,W]."""
        return _SCALAR if self._scalar else f"[{','.join(self._names) or _REST}]"

    to_string = __str__

    def __repr__(self) -> str:
        return f"<Layout: {self}>"


def _short(name: str) -> str:
    upper = name.strip().upper()
    return _LONG.get(upper, upper)


def _names(text: str) -> tuple[str, ...]:
    if text.startswith("[") != text.endswith("]"):
        raise RuntimeError(f"the layout {text!r} is malformed: its brackets do not match")
    parts: list[str]
    if text.startswith("["):
        parts = text[1:-1].split(",")
    else:
        parts = [_REST if item == "." else item for item in text.replace(_REST, ".")]
    names = tuple(_short(part) for part in parts)
    for name in names:
        if name not in (_ANY, _REST) and not name.replace("_", "").isalnum():
            raise RuntimeError(f"the layout {text!r} is malformed: {name!r} is not a name of an axis")
        if name != _ANY and names.count(name) > 1:
            raise RuntimeError(f"the layout {text!r} names the axis {name} twice")
    return names
