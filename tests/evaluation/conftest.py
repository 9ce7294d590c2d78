"""The runner of the command line."""

from tests.cli.conftest import clamp, npy, run

__all__ = ["clamp", "npy", "run"]
