"""Types of operations, as OpenVINO's ``DiscreteTypeInfo``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class DiscreteTypeInfo:
    """The type of an operation, and the opset that defines it."""

    name: str
    version_id: str

    def __repr__(self) -> str:
        return f"<DiscreteTypeInfo: {self.name} {self.version_id}>"
