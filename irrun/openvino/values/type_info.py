"""Types of operations, as OpenVINO's ``DiscreteTypeInfo``."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, repr=False)
class DiscreteTypeInfo:
    """The type of an operation, and the opset that defines it."""

    name: str
    version_id: str
    parent: DiscreteTypeInfo | None = field(default=None, compare=False)

    def get_version(self) -> str:
        """Return the opset."""
        return self.version_id

    def hash(self) -> int:
        """Return a number that is the same for equal types."""
        return hash(self)

    def __repr__(self) -> str:
        return f"<DiscreteTypeInfo: {self.name} {self.version_id}>"
