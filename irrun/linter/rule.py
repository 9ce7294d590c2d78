"""A rule: a code, the name of the bad thing, why it is bad, and examples that are tests and documentation at once."""

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
    without a ``check`` of its own documents a finding that reading, binding or inference makes. ``bad`` are files that
    have this finding and no other, ``good`` files that have none; ``weights`` is the file of weights beside each of
    them, ``target_version`` the release that they are checked for. A rule of the stage ``run`` is about a model that
    runs, and the linter never reports it. What an ``opt_in`` rule has to say at the level of info, which may be true of
    sound files, is said only where the rule is asked for.
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
        """The findings of this rule in one file."""
        del context
        return iter(())

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")


@functools.cache
def rules() -> dict[str, type[Rule]]:
    """Every rule by its code: the classes of the modules in ``irrun.linter.rules``."""
    package = importlib.import_module("irrun.linter.rules")
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for item in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(item) and issubclass(item, Rule) and "code" in vars(item):
                found[item.code] = item
    return dict(sorted(found.items()))


def url(code: str) -> str:
    """The page of a rule."""
    rule = rules().get(code)
    return f"{_PAGES}/{rule.name}.md" if rule is not None else ""
