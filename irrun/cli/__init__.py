"""The command line."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on the arguments of the process and exit with its status."""
    try:
        from irrun.cli.app import app

        app.main(prog_name="irrun")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)
