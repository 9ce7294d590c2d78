"""The command line."""

from __future__ import annotations

import io
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on the arguments of the process and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from irrun.cli.app import app

        app.main(prog_name="irrun")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)
