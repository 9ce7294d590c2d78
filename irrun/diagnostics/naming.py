"""Names of files in errors of the operating system."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name a file in an OSError that names none, as one of a write to a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from error


def of_system(error: OSError) -> str:
    """Describe an error of the operating system, with the file where it is known."""
    reason = error.strerror or str(error)
    return f"{os.fspath(error.filename)}: {reason}" if isinstance(error.filename, str | os.PathLike) else reason
