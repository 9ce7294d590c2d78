"""The command line."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Final, NoReturn

_OBJECTS: Final = 100_000
"""New objects between two garbage collections: imports make many, none of which is garbage."""

_TIMEOUT: Final = "21"
"""Idle threads of OpenBLAS sleep after 2**21 cycles, about a millisecond. By default they spin for 0.1 s."""


def main() -> NoReturn:
    """Run the command line on the arguments of the process and exit with its status."""
    gc.set_threshold(_OBJECTS)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _TIMEOUT)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from irrun.cli.app import app

        app.main(prog_name="irrun")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)
