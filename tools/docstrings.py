"""Sessions in docstrings, which begin with ``>>>``, as blocks of code on the site."""

from __future__ import annotations

import re
from typing import Any, Final

import griffe

_SESSION: Final = re.compile(r"^>>> (?:.+\n?)+", re.M)


class Sessions(griffe.Extension):
    """The extension of griffe that ``mkdocs.yml`` names."""

    def on_package(self, *, pkg: griffe.Module, **others: Any) -> None:
        """Put the sessions of the docstring of a package into blocks."""
        self.on_object(obj=pkg, **others)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put the sessions of the docstring of an object into blocks."""
        if obj.docstring is not None:
            obj.docstring.value = _SESSION.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
