"""The base class and the registry of rules."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from irrun.diagnostics import Diagnostic, Severity
from irrun.diagnostics.results import ADDRESS
from irrun.linter.context import Context

_PAGES: Final = f"{ADDRESS}/blob/main/docs/rules"

Stage = Literal["document", "graph", "facts", "weights", "run"]


class Rule:
    """The base of all rules.

    The docstring has the sections ``What it does``, ``Why is this bad``, ``Example`` and ``Use instead``. A rule
    without ``check`` documents a finding made by reading, binding or inference. ``bad`` are files with this finding and
    no other, ``good`` files without findings; ``weights`` is the weights file beside each of them, ``target_version``
    the release they are checked for. A rule of the stage ``run`` concerns running a model; the linter never reports it.
    Infos of an ``opt_in`` rule may be true of sound files, and are reported only where the rule is selected.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    stage: ClassVar[Stage] = "document"
    good: ClassVar[tuple[str, ...]] = ()
    bad: ClassVar[tuple[str, ...]] = ()
    weights: ClassVar[bytes | None] = None
    target_version: ClassVar[str | None] = None
    opt_in: ClassVar[bool] = False

    def check(self, context: Context) -> Iterator[Diagnostic]:
        """Yield the findings of this rule in one file."""
        del context
        return iter(())

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")


@functools.cache
def rules() -> dict[str, type[Rule]]:
    """Return every rule by its code: the classes of the modules in ``irrun.linter.rules``."""
    package = importlib.import_module("irrun.linter.rules")
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for item in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(item) and issubclass(item, Rule) and "code" in vars(item):
                found[item.code] = item
    return dict(sorted(found.items()))


def url(code: str) -> str:
    """Return the address of the page of a rule; empty for an unknown code."""
    rule = rules().get(code)
    return f"{_PAGES}/{rule.name}.md" if rule is not None else ""
