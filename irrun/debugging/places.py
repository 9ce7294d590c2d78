"""The places of steps in a run, with the iterations of the bodies around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import NamedTuple

from irrun.graph import Outlet
from irrun.runtime.plan import Step
from irrun.tensor import Array


class Around(NamedTuple):
    """A body around a step: the layer that has it, its tag, and the number of the iteration, from 0."""

    layer: str
    tag: str
    iteration: int


class StepPlace(NamedTuple):
    """A step of a run, and the bodies around it."""

    step: Step
    around: tuple[Around, ...] = ()

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that the step computes."""
        return self.step.layers

    @property
    def name(self) -> str:
        """The name of the step, that of the last of its layers."""
        return self.step.name

    @property
    def label(self) -> str:
        """The name, after those of the bodies around it, such as ``loop.body[2]/add``."""
        return "".join(f"{item.layer}.{item.tag}[{item.iteration}]/" for item in self.around) + self.name

    @property
    def key(self) -> str:
        """The label without the numbers of iterations."""
        return "".join(f"{item.layer}.{item.tag}/" for item in self.around) + self.name


class Watcher:
    """An observer that knows the place of each step. Subclasses define ``begins`` and ``ended``.

    Arrays are those of the run: the next step may overwrite them.
    """

    def __init__(self) -> None:
        self._open: list[_Frame] = []

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        around: tuple[Around, ...] = ()
        if self._open:
            frame = self._open[-1]
            around = (*frame.place.around, frame.enter(step))
        place = StepPlace(step, around)
        self._open.append(_Frame(place, inputs))
        self.begins(place, inputs)

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        del step
        frame = self._open.pop()
        self.ended(frame.place, frame.inputs, outputs)

    def begins(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        """See a step before it runs."""

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        """See a step after it ran."""


class Passer(Watcher):
    """Passes on outputs of layers, but not of those in bodies: all, or the ``wanted`` ones. They may be overwritten."""

    def __init__(self, sink: Callable[[Outlet, Array], None], wanted: Collection[Hashable] | None = None) -> None:
        super().__init__()
        self._sink, self._wanted = sink, wanted

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        for port, array in enumerate(() if place.around else outputs):
            outlet = Outlet(place.step.node.id, port)
            if self._wanted is None or outlet in self._wanted:
                self._sink(outlet, array)


class _Frame:
    """A step that has begun, and how often each step inside it has."""

    def __init__(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        self.place = place
        self.inputs = tuple(inputs)
        self._tags: dict[int, str] | None = None
        self._counts: dict[int, int] = {}

    def enter(self, step: Step) -> Around:
        """Return the body of a step inside this one, and the number of the iteration."""
        if self._tags is None:
            bodies = self.place.step.bodies or {}
            self._tags = {id(inner): tag for tag, body in bodies.items() for inner in body.plan.steps}
        number = self._counts.get(id(step), 0)
        self._counts[id(step)] = number + 1
        return Around(self.place.name, self._tags.get(id(step), "body"), number)
