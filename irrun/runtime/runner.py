"""Runs a program, each inference in an instance that is idle."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from irrun.kernels.threads import threads
from irrun.runtime.choice import Choice
from irrun.runtime.execute import Observer, execute
from irrun.runtime.instance import Instance, Misfit
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan
from irrun.runtime.program import Program
from irrun.runtime.state import State
from irrun.tensor import Array

_IDLE: Final = 4
"""Instances of a program that are kept for the next run."""


class Runner:
    """A program, its instances, and the number of workers. Several threads may use it at once.

    ``streams`` of them share the processors.
    """

    def __init__(self, program: Program, streams: int = 1) -> None:
        self.program = program
        self._streams = streams
        self._most_workers = program.most_workers
        self._idle: deque[Instance] = deque([Instance(program, threads())], maxlen=_IDLE)
        self._choices: dict[int, Choice] = {}

    def run(
        self, plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer], memory: Memory
    ) -> tuple[Array, ...]:
        """The results. They lie in ``memory`` only where NumPy has to compute them."""
        memory.clear()
        try:
            instance, choice = self._instance(), self._choice()
        except MemoryError:
            return execute(plan, inputs, state, observers, memory)
        count = choice.next()
        began = time.perf_counter()
        try:
            results = instance.run(inputs, count, state, observers, plan.budget)
        except Misfit:
            state.discard()
            return execute(plan, inputs, state, observers, memory)
        except BaseException:
            state.discard()
            raise
        finally:
            self._idle.append(instance)
        state.commit()
        choice.took(count, time.perf_counter() - began)
        return results

    def _choice(self) -> Choice:
        most = max(1, min(threads() // self._streams, self._most_workers))
        found = self._choices.get(most)
        if found is None:
            found = self._choices[most] = Choice(most)
        return found

    def _instance(self) -> Instance:
        try:
            return self._idle.pop()
        except IndexError:
            return Instance(self.program, threads())
