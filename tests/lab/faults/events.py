"""The faults that a process may meet."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.lab.faults.paths import WritePath
from tests.processes import handle_on_the_usual_stack

Fault = Callable[[random.Random, int], None]
CAPABILITIES_3: Final = 0x20080522


def after(events: int, act: Callable[[], None]) -> None:
    """Act at one of the calls and returns of Python functions from now on."""
    left = events

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            sys.setprofile(None)
            act()

    sys.setprofile(count)


def killed(chosen: random.Random, events: int) -> None:
    """SIGKILL; half of the times during the last tenth, in which files are written."""
    first = events * 9 // 10 if chosen.random() < 0.5 else 1
    after(chosen.randint(first, events), lambda: os.kill(os.getpid(), signal.SIGKILL))


def full(chosen: random.Random, _: int) -> None:
    """No file may grow beyond some bytes."""
    limit = chosen.choice([0, chosen.randrange(500), chosen.randrange(13_000)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def unwritable(chosen: random.Random, _: int) -> None:
    """The folder is read-only from some time on, for root too."""
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capset(header, nothing)

    def close() -> None:
        for folder in {path.parent for path in Path().resolve().rglob("*")}:
            folder.chmod(0o555)

    after(chosen.choice([1, chosen.randint(1, _)]), close)


def broken_pipe(chosen: random.Random, _: int) -> None:  # noqa: ARG001
    """Nobody reads the output."""
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)


def interrupted(chosen: random.Random, events: int) -> None:
    """Ctrl-C; half of the times during the last tenth, in which files are written."""
    handle_on_the_usual_stack()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    first = events * 9 // 10 if chosen.random() < 0.5 else 1
    after(chosen.randint(first, events), lambda: os.kill(os.getpid(), signal.SIGINT))


def truncated(chosen: random.Random, events: int) -> None:
    """The weights are truncated meanwhile."""
    after(chosen.randint(1, events), lambda: os.truncate("model.bin", chosen.choice([0, 1, 5000])))


def replaced(chosen: random.Random, events: int) -> None:
    """The weights are replaced meanwhile by others."""
    after(chosen.randint(1, events), lambda: os.replace("other.bin", "model.bin"))


FAULTS: Final[Mapping[str, Fault]] = {
    "kill": killed,
    "full disk": full,
    "unwritable folder": unwritable,
    "broken pipe": broken_pipe,
    "interrupt": interrupted,
    "truncated weights": truncated,
    "replaced weights": replaced,
}
OF_WEIGHTS: Final = ("truncated weights", "replaced weights")
STATUSES: Final[Mapping[str, set[int]]] = {
    "kill": {0, 1, -signal.SIGKILL},
    "full disk": {0, 1, 2},
    "unwritable folder": {0, 1, 2},
    "broken pipe": {0, 1, 141},
    "interrupt": {0, 1, 130, -signal.SIGINT},
    "truncated weights": {0, 2},
    "replaced weights": {0, 2},
}


def faults_of(path: WritePath) -> Sequence[str]:
    """Return the faults that a path may meet: those of weights where it reads large ones."""
    return [fault for fault in FAULTS if path.large or fault not in OF_WEIGHTS]
