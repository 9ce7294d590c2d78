"""Fixtures of the command line."""

from tests.cli.conftest import clamp, folder, run, write

__all__ = ["clamp", "folder", "run", "write"]
