"""Notes on nodes and ports: the entries of their ``<rt_info>``, and those that no file has."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from irrun.document.info import entry_of, find, key_of, merged, value_of, with_entry, without
from irrun.document.records import Info
from irrun.graph.graph import NodeInfo
from irrun.openvino.nodes.workspace import Handle

NODE, INPUT, OUTPUT = "node", "input", "output"


class Notes(MutableMapping[str, Any]):
    """The notes on a node, or on one of its ports.

    What OpenVINO writes into files is part of the record of the node: known attributes such as ``layout_0``, and keys
    that begin with ``user_data``. Other notes stay in memory.
    """

    def __init__(self, node: Handle, side: str = NODE, index: int = 0) -> None:
        self._node, self._side, self._index = node, side, index
        self._others = node._graph.notes(node._id, side, index)

    @property
    def _info(self) -> Info:
        info = self._node.record.info
        if self._side == NODE:
            return info.layer
        ports = info.inputs if self._side == INPUT else info.outputs
        return ports[self._index] if self._index < len(ports) else ()

    @_info.setter
    def _info(self, entries: Info) -> None:
        record = self._node.record
        self._node._update(record._replace(info=_with_info(record.info, self._side, self._index, entries)))

    def take(self, other: Notes) -> None:
        """Add the entries of other notes that files have; entries of the same key are merged."""
        if other._info:
            self._info = tuple(sorted(merged([self._info, other._info]), key=key_of))

    def __getitem__(self, key: str) -> Any:
        entry = find(self._info, key)
        return self._others[key] if entry is None else value_of(entry)

    def __setitem__(self, key: str, value: Any) -> None:
        entry = entry_of(key, value)
        if entry is None:
            self._others[key] = value
        else:
            self._info = with_entry(self._info, entry)

    def __delitem__(self, key: str) -> None:
        if find(self._info, key) is None:
            del self._others[key]
        else:
            self._info = without(self._info, key)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*map(key_of, self._info), *self._others}))

    def __len__(self) -> int:
        return len({*map(key_of, self._info), *self._others})


def _with_info(info: NodeInfo, side: str, index: int, entries: Info) -> NodeInfo:
    if side == NODE:
        return info._replace(layer=entries)
    ports = list(info.inputs if side == INPUT else info.outputs)
    ports += [()] * (index + 1 - len(ports))
    ports[index] = entries
    return info._replace(inputs=tuple(ports)) if side == INPUT else info._replace(outputs=tuple(ports))
