"""Runs mutants through a target and keeps each kind of failure once."""

from __future__ import annotations

import faulthandler
import resource
import signal
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.lab.fuzz.corpus import seeds
from tests.lab.fuzz.mutate import Mutator
from tests.lab.fuzz.targets import TARGETS, Target

SECONDS: Final = 10
"""Processor time of one input."""

MEMORY: Final = 4 << 30


class TooSlow(BaseException):
    """An input takes longer than it may."""


@dataclass
class Outcome:
    """The number of inputs, and for each kind of failure the first input and its traceback."""

    count: int = 0
    peak: int = 0
    """Bytes of memory of the process."""

    failures: dict[str, tuple[bytes, str]] = field(default_factory=dict)


def campaign(name: str, seconds: float, number: int, folder: Path | None = None, most: int | None = None) -> Outcome:
    """Run mutants for some seconds, ``most`` at most.

    Each failure, and the input that ends the process, is written to ``folder``.
    """
    mutator = Mutator(seeds(), number)
    target, outcome, end = TARGETS[name], Outcome(), time.monotonic() + seconds
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    faulthandler.enable()
    current = None if folder is None else folder / f"{name}-{number}.current"
    while time.monotonic() < end and outcome.count != most:
        data = mutator.mutant()
        if current is not None:
            current.write_bytes(data)
        outcome.count += 1
        found = failure(target, data)
        if found is not None and found[0] not in outcome.failures:
            outcome.failures[found[0]] = data, found[1]
            if folder is not None:
                path = folder / f"{name}-{number}-{len(outcome.failures)}"
                path.with_suffix(".input").write_bytes(data)
                path.with_suffix(".txt").write_text(found[1])
    if current is not None:
        current.unlink(missing_ok=True)
    outcome.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return outcome


def failure(target: Target, data: bytes) -> tuple[str, str] | None:
    """Return the kind and the traceback of a failure; None where there is none."""
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            target(data)
    except (Exception, TooSlow) as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        frames = traceback.extract_tb(cause.__traceback__)
        where = next((frame for frame in reversed(frames) if "/irrun/" in frame.filename), frames[-1])
        kind = f"{type(cause).__name__} at {Path(where.filename).name}:{where.lineno}"
        return kind, "".join(traceback.format_exception(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _stop(*_: Any) -> None:
    raise TooSlow
