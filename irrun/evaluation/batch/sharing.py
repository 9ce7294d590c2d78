"""The memory budget of a model, shared by inferences that run at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Condition
from typing import Any

import numpy as np

from irrun.model import Compiled
from irrun.runtime.budget import held_bytes
from irrun.runtime.peak import computed_bytes


class Sharing:
    """Lets an inference begin only when its tensors and those of the others fit the budget together.

    One that does not fit the budget alone may begin when no other runs: the inference itself refuses it.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._plan = compiled.plan
        most = self._plan.budget.memory
        self._free = None if most is None else max(most - held_bytes(self._plan.slots), 0)
        self._held = 0
        self._changed = Condition()
        self._known: dict[tuple[tuple[int, ...], ...], int] = {}

    @contextmanager
    def running(self, inputs: Mapping[int, Any]) -> Iterator[None]:
        """Wait for memory, and hold it while the context lasts."""
        free = self._free
        if free is None:
            yield
            return
        size = self._bytes(inputs)
        with self._changed:
            self._changed.wait_for(lambda: self._held == 0 or self._held + size <= free)
            self._held += size
        try:
            yield
        finally:
            with self._changed:
                self._held -= size
                self._changed.notify_all()

    def _bytes(self, inputs: Mapping[int, Any]) -> int:
        shapes = tuple(np.shape(inputs[index]) for index in sorted(inputs))
        if shapes not in self._known:
            self._known[shapes] = computed_bytes(self._plan, shapes)
        return self._known[shapes]
