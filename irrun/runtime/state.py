"""Variables that outlive an inference: one set for each request."""

from __future__ import annotations

from irrun.tensor import Array


class State:
    """The variables of a request. What one inference writes, the next one reads."""

    def __init__(self) -> None:
        self.values: dict[str, Array] = {}
        self._written: dict[str, Array] = {}

    def read(self, name: str, initial: Array) -> Array:
        """The value of a variable; ``initial`` before it was first written."""
        return self.values.get(name, initial)

    def write(self, name: str, value: Array) -> None:
        """The value that the next inference reads."""
        self._written[name] = value

    def commit(self) -> None:
        """End an inference: what was written becomes what is read."""
        self.values.update(self._written)
        self._written.clear()

    def reset(self, name: str | None = None) -> None:
        """Forget one variable, or all of them."""
        if name is None:
            self.values.clear()
        else:
            self.values.pop(name, None)
