"""The layer that is blamed for a difference, with a small case that shows its fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from irrun.debugging.answers import Answers
from irrun.debugging.cases import Case
from irrun.debugging.faults import DebugError
from irrun.debugging.layers import Tolerance
from irrun.debugging.metrics import Errors
from irrun.debugging.verdicts import Verdict

UNSAID: Final = Verdict("different")

Kind = Literal["layer", "optimisation", "precision"]


@dataclass(frozen=True, slots=True)
class Blame:
    """The layer to blame, and a small case that shows its fault.

    ``kind`` is ``layer`` where its results differ for equal inputs, ``optimisation`` where they agree layer by layer,
    and what the engine makes of ``layers`` differs, ``precision`` where they differ if rounded. ``reproduces`` tells
    whether the case shows the fault; ``whole`` are the errors of the layer inside the whole model, if these are known.
    ``verdict`` has all suspects, of which this is the first; ``tolerance`` is that by which the outputs differ.
    """

    kind: Kind
    layer: str
    type: str
    layers: tuple[str, ...]
    sides: tuple[str, str]
    constants: tuple[str, ...]
    case: Case
    answers: Answers
    reproduces: bool
    whole: Errors | None = None
    verdict: Verdict = UNSAID
    tolerance: Tolerance = Tolerance()  # noqa: RUF009

    def as_dict(self) -> dict[str, Any]:
        """Return a record without the arrays, ready for JSON or pandas."""
        names = ("kind", "layer", "type", "layers", "sides", "constants", "reproduces")
        found = self.answers.worst[1]
        record = {name: getattr(self, name) for name in names} | self.verdict.as_dict()
        return record | {"errors": None if found is None else found.as_dict()}


class NothingToBlame(DebugError):
    """No layer is suspected: the outputs agree, a harmless cause explains them, or nothing was found that does."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict
