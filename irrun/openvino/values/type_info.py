"""Types of operations, as OpenVINO's ``DiscreteTypeInfo``."""

from __future__ import annotations


class DiscreteTypeInfo:
    """The type of an operation, and the opset that defines it."""

    def __init__(self, name: str, version_id: str) -> None:
        self.name = name
        self.version_id = version_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiscreteTypeInfo) and (self.name, self.version_id) == (other.name, other.version_id)

    def __hash__(self) -> int:
        return hash((self.name, self.version_id))

    def __repr__(self) -> str:
        return f"<DiscreteTypeInfo: {self.name} {self.version_id}>"
