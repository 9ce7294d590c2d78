"""The smallest model for which a command still fails, or a fault still shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from irrun.debugging.cases import REFUSALS, Case, Shows, TensorFiles, ends_of, kept, layers_of, smallest
from irrun.debugging.cutting import save
from irrun.debugging.faults import DebugError
from irrun.debugging.shrinking import shrunk
from irrun.debugging.spool import Spool
from irrun.evaluation.files.saving import save_arrays
from irrun.jobs.progress import working
from irrun.model import Loaded, Port
from irrun.tensor import Array

INPUTS: Final = "{inputs}"
MODEL: Final = "{}"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A model that is reduced, and how many layers it had and has, constants and ends not counted."""

    case: Case
    before: int
    after: int
    checks: int

    @property
    def model(self) -> Loaded:
        """The reduced model."""
        return self.case.model


class _Counted:
    """Counts the checks of a fault, remembers the smallest case, and ends after a number of checks."""

    def __init__(self, shows: Shows, better: Callable[[Case], None], most: int, add: Callable[[int], None]) -> None:
        self.count = 0
        self._add = add
        self._shows = shows
        self._better = better
        self._most = most

    def __call__(self, case: Case) -> bool:
        if self.count >= self._most:
            return False
        self.count += 1
        self._add(1)
        found = self._shows(case)
        if found:
            self._better(case)
        return found


def reduce(
    model: Loaded,
    shows: Shows,
    inputs: dict[int, Array] | None = None,
    *,
    better: Callable[[Case], None] = lambda _: None,
    most: int = 1000,
    shapes: bool = True,
    config: dict[str, Any] | None = None,
) -> Reduction:
    """Return the smallest model found for which ``shows`` is true: fewer layers, then smaller shapes and constants.

    With ``inputs``, each case has the tensors that reach it in a run of the whole model. ``better`` is called with each
    smaller case, ``most`` limits the number of checks. DebugError where the whole model does not show the fault.
    """
    whole = Case((model,), None if inputs is None else tuple(inputs[place] for place in sorted(inputs)))
    if not shows(whole):
        raise DebugError("the fault does not show in the whole model, so there is nothing to reduce")
    layers = layers_of(model)
    with Spool() as spool, working("reducing", unit="checks") as add:
        counted = _Counted(shows, better, most, add)
        tensors = None if inputs is None else TensorFiles(model, inputs, spool, config or {})

        def is_shown(chosen: Sequence[int]) -> bool:
            case = _kept(model, chosen, tensors)
            return case is not None and counted(case)

        chosen = smallest(layers, is_shown) if layers else []
        case = _kept(model, chosen, tensors) if len(chosen) < len(layers) else None
        if case is not None and len(case.model.graph.results) > 1:
            case = _with_fewer_outputs(model, chosen, tensors, counted) or case
        case = case if case is not None else whole
        case = shrunk(case, counted) if shapes else case
    return Reduction(case, len(layers), len(layers_of(case.model)), counted.count)


def _kept(model: Loaded, chosen: Sequence[int], tensors: TensorFiles | None, ends: Sequence[Any] = ()) -> Case | None:
    try:
        return kept(model, chosen, tensors, ends)
    except REFUSALS:
        return None


def _with_fewer_outputs(model: Loaded, chosen: Sequence[int], tensors: TensorFiles | None, shows: Shows) -> Case | None:
    """Return a case with only those outputs of the chosen layers in which the fault shows."""

    def is_shown(some: Sequence[Any]) -> bool:
        case = _kept(model, chosen, tensors, some)
        return case is not None and shows(case)

    ends = smallest(ends_of(model, set(chosen)), is_shown)
    return _kept(model, chosen, tensors, ends)


class Command:
    """A command that fails for a case: with the same status as for the first one, and a text that matches.

    ``{}`` in the command is the path of the model, ``{inputs}`` that of an ``.npz`` file with its inputs.
    """

    def __init__(self, command: str, *, match: str | None = None, timeout: float | None = None) -> None:
        if MODEL not in command:
            raise DebugError(f'the command "{command}" does not say where the model goes, expected {{}} in it')
        try:
            self._words = shlex.split(command)
            self._match = re.compile(match) if match is not None else None
        except (ValueError, re.error) as error:
            raise DebugError(f"the command or its pattern cannot be read: {error}") from None
        self._timeout = timeout
        self.status: int | None = None
        self.wants_inputs: bool = INPUTS in command
        self.output: str = ""

    def __call__(self, case: Case) -> bool:
        with tempfile.TemporaryDirectory(prefix="irrun-") as folder:
            path = Path(folder, "model.xml")
            try:
                write(case, path)
            except REFUSALS:
                return False
            status = self._run(path)
        if self.status is None and status:
            self.status = status
        return status != 0 and status == self.status and (self._match is None or bool(self._match.search(self.output)))

    def _run(self, path: Path) -> int:
        words = [word.replace(INPUTS, str(path.with_suffix(".npz"))).replace(MODEL, str(path)) for word in self._words]
        try:
            done = subprocess.run(words, capture_output=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired:
            self.output = ""
            return -1
        except OSError as error:
            raise DebugError(f"{words[0]} cannot be started: {error.strerror or error}") from None
        self.output = (done.stdout + done.stderr).decode(errors="replace")
        return done.returncode


def _external(array: Array, port: Port) -> Array:
    """Return an array in the type that callers of a model pass."""
    kind = port.element_type
    return array.astype(kind.external) if kind.is_known and kind.kind != "string" else array


def write(case: Case, path: Path) -> list[Path]:
    """Write the model of a case, and its inputs as an ``.npz`` file beside it; return the paths."""
    save(case.model, path)
    if case.inputs is None:
        return [path]
    named = zip(case.model.inputs, case.inputs, strict=True)
    save_arrays(path.with_suffix(".npz"), {port.any_name: _external(array, port) for port, array in named})
    return [path, path.with_suffix(".npz")]
