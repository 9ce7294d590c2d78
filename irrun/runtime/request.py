"""Requests to run a plan, and refusals of programs to compute them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from irrun.runtime.budget import UNLIMITED, Budget
from irrun.runtime.plan import Step
from irrun.runtime.state import State
from irrun.tensor import Array


class Observer(Protocol):
    """Sees every step before and after it runs: for tracing, profiling, dumping.

    Arrays may be overwritten by the next run.
    """

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None: ...

    def after(self, step: Step, outputs: Sequence[Array]) -> None: ...


@dataclass(frozen=True, slots=True)
class Request:
    """The input of a run: arrays in the carriers of their types, variables, observers and limits.

    ``state`` is updated. ``deadline`` is the time by the monotonic clock at which the run must have ended, None for no
    limit.
    """

    inputs: Sequence[Array] = ()
    state: State = field(default_factory=State)
    observers: Sequence[Observer] = ()
    budget: Budget = UNLIMITED
    deadline: float | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadline", self.budget.deadline)


class Refused(Exception):
    """A program does not compute a run; the text says why. It is the only outcome of a run beside results and errors.

    A refusal that is ``late`` is a bailout: the program had begun. One that is ``final`` holds for all programs of the
    plan.
    """

    def __init__(self, reason: str, *, late: bool = False, final: bool = False) -> None:
        super().__init__(reason)
        self.late = late
        self.final = final
