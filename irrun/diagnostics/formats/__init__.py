"""Output formats, one module each, found by their file names.

``render(results)`` gives the text without a line end behind it, or an empty text where a person is to see nothing.
``summary(results)``, where a module has one, gives Markdown for the summary page of a CI run.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType

from irrun.diagnostics.results import Results


@functools.cache
def names() -> tuple[str, ...]:
    """The formats in alphabetical order: ``json-lines`` is ``json_lines.py``."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def render(name: str, results: Results) -> str:
    """The results in a format."""
    text: str = _module(name).render(results)
    return text


def summary(name: str, results: Results) -> str | None:
    """What a format has for a summary page; None where it has nothing."""
    make = getattr(_module(name), "summary", None)
    return None if make is None else str(make(results))


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
