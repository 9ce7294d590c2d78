"""The number of inferences at once."""

from __future__ import annotations

from typing import ClassVar

from irrun.openvino.properties.names import Property


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

num = Property("NUM_STREAMS", int, Num)
