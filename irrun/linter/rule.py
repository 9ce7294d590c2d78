"""The base class and the registry of rules."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Any, ClassVar, Final, Literal, Protocol

from irrun.diagnostics import Anchor, Diagnostic, Fault, Fix, LayerRef, OpError, Severity, listing, near_match
from irrun.diagnostics.results import ADDRESS
from irrun.document.places import layer_ref, path_notes
from irrun.document.records import LayerElement, NetElement, PortElement
from irrun.linter.context import Context
from irrun.ops.available import installed_operations
from irrun.ops.blame import ExtensionFault, blamed, definition, is_own
from irrun.ops.extending import ExtensionSource, additions_of, identity, installed, warn
from irrun.ops.importing import ExtensionError

GROUP: Final = "irrun.rules"
"""The group of entry points by which an installed package offers modules or classes of rules."""

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

    ``options`` are the settings of the rule with their defaults, which a configuration changes: ``[rules.MY201]``;
    ``context.option(self, "limit")`` returns one.
    """

    adds: ClassVar[str] = "rules"
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
    options: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def checked_option(cls, name: str, value: Any) -> Any:
        """Return the value of a setting in the type of its default; ValueError where there is none, or not this."""
        if name not in cls.options:
            known = near_match(name, cls.options) or (f", expected {listing(cls.options)}" if cls.options else "")
            raise ValueError(f"{cls.code} has no such setting{known}")
        default = cls.options[name]
        wanted = float if isinstance(default, float) and type(value) is int else type(value)
        if not isinstance(default, tuple | list) and wanted is not type(default):
            raise ValueError(f"it is {value!r}, expected a value such as {default!r}")
        if isinstance(default, tuple | list) and not isinstance(value, tuple | list):
            raise ValueError(f"it is {value!r}, expected a list")
        return type(default)(value)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        """Yield the findings of this rule in one file."""
        del context
        return iter(())

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Return the fix of a finding of this rule: its suggestion, or None."""
        return None if found.suggestion is None else context.editor.suggested(found.suggestion)

    def fixes(self, found: Sequence[Diagnostic], context: Context) -> list[Fix | None]:
        """Return the fix of each finding of this rule in one file, for rules whose fixes depend on each other."""
        return [self.fix(item, context) for item in found]

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
    def found(cls, context: Context, failing: list[Diagnostic]) -> list[Diagnostic]:
        """Return what ``check`` finds in a file; the failure of an extension is added to ``failing``."""
        try:
            if is_own(cls):
                return list(cls().check(context))
            with blamed(f"the rule {cls.code}", definition(cls.check, cls)):
                found = list(cls().check(context))
                for item in found:
                    _require_finding(item, context)
            return found
        except ExtensionFault as error:
            failing.append(error.at())
            return []

    @classmethod
    def fixed(cls, found: Sequence[Diagnostic], context: Context, failing: list[Diagnostic]) -> list[Fix | None]:
        """Return the ``fixes`` of findings; the failure of a rule that is not irrun's is added to ``failing``."""
        if is_own(cls):
            return cls().fixes(found, context)
        try:
            with blamed(f"the fix of {cls.code}", definition(cls.fix, cls)):
                return [_as_fix(item) for _, item in zip(found, cls().fixes(found, context), strict=True)]
        except ExtensionFault as error:
            failing.append(error.at())
            return [None] * len(found)

    @classmethod
    def group(cls) -> Group:
        return Group(int(cls.code[-3]))

    @classmethod
    def url(cls) -> str:
        """Return the address of the page of the rule; empty for a rule that is not irrun's."""
        return f"{_PAGES}/{cls.name}.md" if is_own(cls) else ""

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")


def _require_finding(item: object, context: Context) -> None:
    """Raise TypeError or ValueError where what a rule yields is not a finding in the file."""
    if not isinstance(item, Diagnostic):
        raise TypeError(f"check yields {item!r}, expected what self.report returns")
    if item.code not in rules():
        raise ValueError(f"check yields a finding of {item.code}, which is no rule")
    context.document.source_map.locate(item.anchor)


def _as_fix(item: object) -> Fix | None:
    if item is not None and not isinstance(item, Fix):
        raise TypeError(f"fix returns {item!r}, expected a Fix or None")
    return item


_ADDED: Final[ContextVar[tuple[type[Rule], ...]]] = ContextVar("irrun.rules", default=())
"""The rules of users that apply in this context."""


def rules() -> dict[str, type[Rule]]:
    """Return every rule by its code: irrun's, those of installed packages, and those that ``adding`` has added."""
    return _merged(_ADDED.get())


@contextmanager
def adding(sources: Iterable[ExtensionSource]) -> Iterator[None]:
    """Add the rules that sources declare, within the context; ExtensionError for unusable ones."""
    found = [rule for source in sources for rule in additions_of(source).rules]
    _merged(added := tuple(dict.fromkeys((*_ADDED.get(), *found))))
    token = _ADDED.set(added)
    try:
        yield
    finally:
        _ADDED.reset(token)


def option_rule(text: str) -> type[Rule] | None:
    """Return the rule with a code or a name; None where there is none."""
    return next((rule for code, rule in rules().items() if text in (code, rule.name)), None)


@functools.lru_cache(maxsize=16)
def _merged(added: tuple[type[Rule], ...]) -> dict[str, type[Rule]]:
    known = dict(_with_installed())
    for rule in added:
        _check(rule, known)
        known[rule.code] = rule
    return known


@functools.cache
def _with_installed() -> dict[str, type[Rule]]:
    """Return the rules of irrun and of installed packages; an ExtensionWarning for each that cannot be used."""
    known = dict(_built_in())
    for item in installed(GROUP):
        for rule in item.rules:
            try:
                _check(rule, known)
            except ExtensionError as error:
                warn(f"{item.source} is left out in part: {error}")
            else:
                known[rule.code] = rule
    return known


def _check(rule: type[Rule], known: Mapping[str, type[Rule]]) -> None:
    """Raise ExtensionError where a class is not a usable rule, or has the code or the name of a known one."""
    where = f"the rule {rule.__name__}"
    code, name = str(getattr(rule, "code", "")), str(getattr(rule, "name", ""))
    if re.fullmatch(r"(?!IR\d)[A-Z]{2,8}[1-9]\d{2}", code) is None:
        raise ExtensionError(f'{where} has the code "{code}", expected letters of its own and a number, such as MY101')
    if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name) is None:
        raise ExtensionError(f'{where} has the name "{name}", expected words in kebab case, such as wide-tensor')
    if not callable(rule.check) or not isinstance(rule.severity, Severity):
        raise ExtensionError(f"{where} has the severity {rule.severity!r}, expected one such as Severity.WARNING")
    if not rule.explanation():
        raise ExtensionError(f"{where} has no docstring, which irrun rule {code} prints")
    for other in known.values():
        if (other.code == code or other.name == name) and identity(other) != identity(rule):
            places = [definition(item.check, item) for item in (other, rule)]
            what = f"{where} is {code} {name}, which another rule is called"
            raise ExtensionError(what if is_own(other) else f"{what}, at {listing(places, 'and')}")


@functools.cache
def _built_in() -> dict[str, type[Rule]]:
    """Return the rules of irrun: the classes of the modules in ``irrun.linter._rules``."""
    package = importlib.import_module("irrun.linter._rules")
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for item in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(item) and issubclass(item, Rule) and "code" in vars(item):
                found[item.code] = item
    return dict(sorted(found.items()))


def forget() -> None:
    """Forget the rules and what installed packages offer, so that both are looked for again."""
    for cache in (_built_in, _with_installed, _merged, installed, installed_operations):
        cache.cache_clear()
