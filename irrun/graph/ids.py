"""The ids of layers and ports, by which edges and port maps name them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Final

from irrun.document.grammar import ID
from irrun.document.records import LayerElement, PortElement

_MOST_LISTED: Final = 16


class PortIds:
    """The ids of the ports of one side of a layer, each found in constant time.

    An id is faulty if it is not a number, or if several ports have it. ``begin`` is the id of the first port where no
    port has a sound one.
    """

    def __init__(self, ids: Sequence[str], begin: int = 0) -> None:
        counts = Counter(ids)
        self._faulty = [counts[id] > 1 or not is_id(id) for id in ids]
        self._first: dict[str, int] = {}
        for index, id in enumerate(ids):
            self._first.setdefault(id, index)
        self._unique = {id: index for id, index in self._first.items() if counts[id] == 1}
        sound = self._faulty.index(False) if False in self._faulty else None
        self._offsets = (begin, 0) if sound is None else (int(ids[sound]) - sound,)

    @property
    def any_faulty(self) -> bool:
        return any(self._faulty)

    def is_faulty(self, index: int) -> bool:
        """Return whether no edge can name a port."""
        return self._faulty[index]

    def index(self, id: str) -> int | None:
        """Return the number of the port with this id, or of the port with a faulty id that should have this one."""
        unique = self._unique.get(id)
        if unique is not None:
            return unique
        found = self._first.get(id)
        for offset in self._offsets if is_id(id) else ():
            meant = int(id) - offset
            if 0 <= meant < len(self._faulty) and self._faulty[meant]:
                return meant
        return found

    def listed(self) -> str:
        """Return the ids for a message, such as ``it has 0, 1``."""
        if not self._first:
            return "it has none"
        ids = list(self._first)
        more = f" and {len(ids) - _MOST_LISTED} more" if len(ids) > _MOST_LISTED else ""
        return f"it has {', '.join(ids[:_MOST_LISTED])}{more}"


def port_ids(ports: Sequence[PortElement], begin: int = 0) -> PortIds:
    """Return the ids of ports; equal ones are shared."""
    return _shared(tuple([port.id for port in ports]), begin)


_shared = functools.lru_cache(maxsize=256)(PortIds)


def is_id(id: str) -> bool:
    """Return whether a text is an id that an IR can have."""
    return ID.fullmatch(id) is not None


def duplicates(layers: Sequence[LayerElement]) -> list[LayerElement]:
    """Return the layers with the id of an earlier one."""
    seen: set[str] = set()
    found = []
    for layer in layers:
        if layer.id in seen:
            found.append(layer)
        seen.add(layer.id)
    return found
