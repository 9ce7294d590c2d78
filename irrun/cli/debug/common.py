"""Models with inputs, for the commands of ``irrun debug``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from irrun.cli import inputs
from irrun.cli.extending import extensions
from irrun.evaluation.files import reading
from irrun.evaluation.files.reading import Value
from irrun.model import Loaded, Port, load
from irrun.tensor import Array, Shape


class Given(NamedTuple):
    """A model with its inputs: those of files, and random ones otherwise."""

    model: Loaded
    shapes: Mapping[Port, Shape]
    values: Sequence[Value]

    @property
    def arrays(self) -> dict[int, Array]:
        """The inputs by place."""
        return {value.port.index: value.array for value in self.values}


def given(
    path: Path, weights: Path | None, files: Sequence[str], shapes: Sequence[str], seed: int, budget: int | None
) -> Given:
    """Read a model and its inputs."""
    model, reshaped = inputs.reshape(load(path, weights, extensions=extensions()), shapes)
    found = reading.from_files(files, model.inputs, budget=budget, model=model)
    return Given(model, reshaped, reading.completed(found, model.inputs, seed))
