"""Output formats, one module each, found by their file names.

``render(results)`` returns the text without a trailing newline; it may be empty where nothing is to be printed for a
person. A module that also renders what could not be checked has ``TELLS_PROBLEMS``; one may have ``summary(results)``,
which returns Markdown for the summary page of a CI run.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irrun.diagnostics.results import Results


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of the formats in alphabetical order: ``json-lines`` is ``json_lines.py``."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def render(name: str, results: Results) -> str:
    """Render the results in the format called ``name``."""
    text: str = _module(name).render(results)
    return text


def summary(name: str, results: Results) -> str | None:
    """Return the summary page of a format as Markdown; None where the format has none."""
    make = getattr(_module(name), "summary", None)
    return None if make is None else str(make(results))


def tells_problems(name: str) -> bool:
    """Return whether a format has a place for what could not be checked."""
    return getattr(_module(name), "TELLS_PROBLEMS", False)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
