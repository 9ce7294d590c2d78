"""The base class and the registry of rules."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Protocol

from irrun.diagnostics import Anchor, Diagnostic, Fault, Fix, LayerRef, OpError, Severity
from irrun.diagnostics.results import ADDRESS
from irrun.document.places import layer_ref, path_notes
from irrun.document.records import LayerElement, NetElement, PortElement

if TYPE_CHECKING:
    from irrun.linter.context import Context

_PAGES: Final = f"{ADDRESS}/blob/main/docs/rules"


class Group(IntEnum):
    """The subject of a rule: the first digit of its code."""

    DOCUMENT = 1
    GRAPH = 2
    OPERATIONS = 3
    SHAPES_AND_TYPES = 4
    WEIGHTS = 5
    NUMERICS = 6
    COMPATIBILITY = 7
    RUNNING = 8
    SAFETY = 9

    @property
    def title(self) -> str:
        return f"The {self.name.lower()}" if self < Group.OPERATIONS else self.name.capitalize().replace("_", " ")


class Located(Protocol):
    """A layer, a port or a constant that a rule looks at; ``path`` names the bodies around its layer."""

    @property
    def layer(self) -> LayerElement: ...
    @property
    def path(self) -> tuple[str, ...]: ...


class Rule:
    """The base of all rules.

    The docstring has the sections ``What it does``, ``Why is this bad``, ``Example`` and ``Use instead``. A rule finds
    its faults in ``check``, or names the ``faults`` that reading, binding, inference or running find. A rule that is
    found ``at_run_time`` concerns running a model; the linter never reports it. Infos of an ``opt_in`` rule may be true
    of sound files, and are reported only where the rule is selected.

    The relations to other rules, so that one fault is one finding:

    * ``explains``: selectors of the rules whose findings follow from one of this rule: at its layer and downstream,
      anywhere if either is about no layer.
    * ``needs_sound``: the part of the file that errors must not touch for the findings to count, the whole ``file`` or
      the layers ``upstream``.
    * ``breaks``: the knowledge that a finding takes away: of the ``structure``, so that nothing can be called missing;
      of the ``layer``, so that faults of its ports follow.
    * ``of_absence``: the findings are about absent attributes, for which an ellipsis may stand.
    * ``merges``: the words, in singular and plural, that follow the number of findings left out because they share
      their cause with the first.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    opt_in: ClassVar[bool] = False
    faults: ClassVar[tuple[type[Fault | OpError], ...]] = ()
    at_run_time: ClassVar[bool] = False
    explains: ClassVar[tuple[str, ...]] = ()
    needs_sound: ClassVar[Literal["", "file", "upstream"]] = ""
    breaks: ClassVar[tuple[Literal["structure", "layer"], ...]] = ()
    of_absence: ClassVar[bool] = False
    merges: ClassVar[tuple[str, str] | None] = None

    def check(self, context: Context) -> Iterator[Diagnostic]:
        """Yield the findings of this rule in one file."""
        del context
        return iter(())

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Return the fix of a finding of this rule: its suggestion, or None."""
        from irrun.linter.corrections import editor

        return None if found.suggestion is None else editor(context).suggested(found.suggestion)

    def culprits(self, found: Iterable[Diagnostic], context: Context) -> set[LayerRef]:
        """Return the layers to which findings of this rule point: what this rule explains follows from them."""
        del context
        return {item.layer for item in found if item.layer is not None}

    def report(
        self,
        item: Located | NetElement,
        message: str,
        *,
        at: Anchor | None = None,
        port: PortElement | None = None,
        severity: Severity | None = None,
        declared: str | None = None,
        inferred: str | None = None,
        notes: Iterable[str] = (),
        fix: Fix | None = None,
    ) -> Diagnostic:
        """Return a finding of this rule, located at the layer of ``item`` or its ``port`` unless ``at`` is given."""
        layer = None if isinstance(item, NetElement) else item.layer
        path = () if isinstance(item, NetElement) else item.path
        element = item.element if isinstance(item, NetElement) else item.layer.element
        return Diagnostic(
            self.code,
            message,
            at or Anchor(element if port is None else port.element),
            self.severity if severity is None else severity,
            None if layer is None else layer_ref(layer),
            None if port is None else port.id,
            declared,
            inferred,
            (*notes, *path_notes(path)),
            fix=fix,
        )

    @classmethod
    def group(cls) -> Group:
        return Group(int(cls.code[2]))

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
