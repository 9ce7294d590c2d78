"""Functions for workers, which import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


class Doubling:
    """Doubles numbers, and notes in a folder how often it was unpickled."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __setstate__(self, state: dict[str, str]) -> None:
        self.__dict__.update(state)
        Path(self.folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, item: int) -> int:
        return 2 * item


def fatal(item: int) -> int:
    """End the worker at 13."""
    if item == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


class KilledOnce:
    """Ends the worker at 13 the first time only, like a machine that is turned off."""

    def __init__(self, folder: str) -> None:
        self.mark = folder

    def __call__(self, item: int) -> int:
        mark = Path(self.mark, "killed")
        if item == 13 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item


def failing(item: int) -> int:
    if item == 3:
        raise ValueError("three")
    return item
