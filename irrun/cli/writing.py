"""The files that a command reads, which it must not write over."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irrun.cli.extending import extensions

_STARTS: Final = re.compile("^|[=:]")
"""The places where the path of a file may begin in ``[NAME=]FILE``; names may hold these signs, too."""


def read_files(model: Path, weights: Path | None = None, given: Sequence[str] = ()) -> list[Path]:
    """Return the files that a command reads: a model, its weights, the files of ``-i``, and extensions."""
    return [model, weights or model.with_suffix(".bin"), *given_files(given), *map(Path, extensions())]


def given_files(given: Sequence[str]) -> list[Path]:
    """Return the files that texts of the form ``[NAME=]FILE`` may stand for."""
    starts = [text[match.end() :] for text in given for match in _STARTS.finditer(text)]
    return [Path(path) for path in starts if os.path.isfile(path)]
