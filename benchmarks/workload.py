"""The workload of a model: the inputs of one inference, or of several consecutive ones that share the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Inputs = Mapping[str, Array]


@dataclass(frozen=True)
class Workload:
    """The inputs of consecutive inferences, which begin with variables reset.

    The first ``untimed`` of them only prepare the state, as the prompt of a language model does for its tokens.
    """

    steps: Sequence[Inputs]
    untimed: int = 0

    def save(self, path: Path) -> None:
        arrays = {f"{index}:{name}": array for index, step in enumerate(self.steps) for name, array in step.items()}
        np.savez(path, untimed=np.array(self.untimed), **arrays)

    @staticmethod
    def load(path: Path) -> Workload:
        steps: dict[int, dict[str, Array]] = {}
        with np.load(path) as archive:
            for key in archive.files:
                index, separator, name = key.partition(":")
                if separator:
                    steps.setdefault(int(index), {})[name] = archive[key]
            return Workload([steps[index] for index in sorted(steps)], int(archive["untimed"]))
