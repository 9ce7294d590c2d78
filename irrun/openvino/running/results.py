"""Results and times of an inference, as OpenVINO has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import ClassVar

from irrun.diagnostics import near_match
from irrun.openvino.nodes.ports import ConstOutput, Output
from irrun.tensor import Array


class OVDict(Mapping[ConstOutput, Array]):
    """The results of an inference, in the order of the outputs; indexed by port, tensor name or position."""

    def __init__(self, ports: Sequence[ConstOutput], arrays: Sequence[Array]) -> None:
        self._ports = tuple(ports)
        self._arrays = tuple(arrays)

    def __getitem__(self, key: ConstOutput | str | int) -> Array:
        if isinstance(key, int):
            if -len(self._arrays) <= key < len(self._arrays):
                return self._arrays[key]
            raise KeyError(f"there is no output {key}; the model has {len(self._arrays)}")
        if isinstance(key, Output):
            found = next((i for i, port in enumerate(self._ports) if port == key), None)
        elif isinstance(key, str):
            found = next((i for i, port in enumerate(self._ports) if key in port.names), None)
        else:
            raise TypeError(f"an output is a port, a tensor name or an integer, got {key!r}")
        if found is None:
            names = sorted(name for port in self._ports for name in port.names)
            raise KeyError(f"no output {key!r}{near_match(str(key), names)}")
        return self._arrays[found]

    def __iter__(self) -> Iterator[ConstOutput]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def to_dict(self) -> dict[ConstOutput, Array]:
        """Return the arrays by the ports of the outputs."""
        return dict(zip(self._ports, self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        """Return the arrays in the order of the outputs."""
        return self._arrays

    def names(self) -> tuple[set[str], ...]:
        """The names of each output."""
        return tuple(port.names for port in self._ports)

    def __repr__(self) -> str:
        return repr(self.to_dict())


class ProfilingStatus(Enum):
    """The outcome of a layer."""

    NOT_RUN = 0
    OPTIMIZED_OUT = 1
    EXECUTED = 2


@dataclass(frozen=True)
class ProfilingInfo:
    """The time that a layer took in the last inference."""

    Status: ClassVar[type[ProfilingStatus]] = ProfilingStatus
    NOT_RUN: ClassVar[ProfilingStatus] = ProfilingStatus.NOT_RUN
    OPTIMIZED_OUT: ClassVar[ProfilingStatus] = ProfilingStatus.OPTIMIZED_OUT
    EXECUTED: ClassVar[ProfilingStatus] = ProfilingStatus.EXECUTED

    node_name: str = ""
    node_type: str = ""
    exec_type: str = "undef"
    status: ProfilingStatus = ProfilingStatus.EXECUTED
    real_time: timedelta = timedelta()
    cpu_time: timedelta = timedelta()
