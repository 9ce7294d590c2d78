"""The number of inferences at once."""

from __future__ import annotations

from typing import Any, ClassVar

from irrun.openvino.properties.names import Property
from irrun.openvino.values.rt_info import OVAny


class Num:
    """A number of streams; ``AUTO`` is chosen by the device, as ``NUMA`` is."""

    AUTO: ClassVar[Num]
    NUMA: ClassVar[Num]

    def __init__(self, number: int = -1) -> None:
        self._number = number

    def to_integer(self) -> int:
        """Return the number; -1 for AUTO and -2 for NUMA."""
        return self._number

    def __eq__(self, other: object) -> bool:
        return self._number == (other._number if isinstance(other, Num) else other)

    def __hash__(self) -> int:
        return hash(self._number)


Num.AUTO, Num.NUMA = Num(-1), Num(-2)


class Streams(Property):
    """A property whose value is a number of streams, as an integer."""

    __slots__ = ()

    def __call__(self, *values: Any) -> Any:
        made = super().__call__(*values)
        return (made[0], OVAny(made[1].value.to_integer())) if values and isinstance(values[0], Num) else made


num: Property = Streams("NUM_STREAMS", int, Num)
