"""The operations that a model may use: irrun's, those of users, and those of installed packages."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.diagnostics import did_you_mean, listing, nearest
from irrun.ops import registry
from irrun.ops.blame import definition, is_own
from irrun.ops.extending import Additions, ExtensionSource, all_additions, identity, installed, warn
from irrun.ops.importing import ExtensionError
from irrun.ops.operation import DECLARED, Op, OpClass
from irrun.ops.releases import is_meant_as_number

GROUP: Final = "irrun.operations"
"""The group of entry points by which an installed package offers modules or classes of operations."""


class Operations:
    """The operations that a model may use: those of ``additions`` first, then irrun's, then those of packages.

    A value: nothing else knows about the additions. ExtensionError where two of them declare the same operation.
    """

    def __init__(self, additions: Iterable[Additions] = ()) -> None:
        self.additions: tuple[Additions, ...] = tuple(additions)
        self._own = _by_type(cls for item in self.additions for cls in item.operations)
        self.own: tuple[OpClass, ...] = tuple(_all(self._own))

    def find(self, type: str, version: str) -> OpClass | None:
        """Return the operation that a layer means; None where there is none."""
        found = _named(self._own, type, version) or registry.find(type, version)
        if found is None and not is_meant_as_number(version):
            return _named(installed_operations(), type, version)
        return found

    def spelling(self, type: str) -> str | None:
        """Return a type as its declaration spells it, from any case; None where there is no such operation."""
        return _spelling(self._own, type) or registry.spelling(type) or _spelling(installed_operations(), type)

    def resolve(self, type: str, version: str | None = None) -> OpClass:
        """Return the operation that ``registry.resolve`` describes; UnknownOperation also names near matches of own."""
        found = None if version is None else self.find(type, version)
        if found is not None:
            return found
        own = _spelling(self._own, type) or (None if registry.spelling(type) else self.spelling(type))
        if own is not None and version is None:
            return list((self._own.get(own) or installed_operations()[own]).values())[-1]
        try:
            return registry.resolve(type, version)
        except registry.UnknownOperation as error:
            meant = nearest(type, self._own) if self._own and error.attribute == "type" else None
            if own is not None:
                has = listing(self._own.get(own, {}), "and")
                what = f"no operation {type} in {version}; it is in {has}"
                raise registry.UnknownOperation(what, attribute="version", meant=None) from None
            if meant is None:
                raise
            where = f" in {version}" if version is not None else ""
            what = f"no operation {type}{where}{did_you_mean(meant)}"
            raise registry.UnknownOperation(what, attribute="type", meant=meant) from None

    def types(self) -> Iterator[str]:
        """Yield the types of own operations, and of those of irrun that are imported."""
        yield from (*self._own, *DECLARED)

    def declarations(self) -> Iterator[OpClass]:
        """Yield every declared version of every operation, by type and opset."""
        added = {(cls.type, cls.opset): cls for cls in (*_all(installed_operations()), *self.own)}
        yield from sorted((*registry.declarations(), *added.values()), key=lambda cls: cls.type)

    def shadows(self, op: Op) -> bool:
        """Return whether an operation is not irrun's, but has the type of one of irrun's."""
        return not is_own(type(op)) and registry.spelling(op.type) is not None


def _by_type(classes: Iterable[OpClass]) -> dict[str, dict[str, OpClass]]:
    found: dict[str, dict[str, OpClass]] = {}
    for cls in classes:
        others = found.setdefault(cls.type, {})
        other = others.get(str(cls.opset))
        if other is not None and identity(other) != identity(cls):
            raise ExtensionError(_twice(cls, other))
        others[str(cls.opset)] = cls
    return found


def _twice(cls: OpClass, other: OpClass) -> str:
    """Return the message about two declarations of an operation, which names both places."""
    places = [definition(item.hooks.get("infer", item.infer), item) for item in (other, cls)]
    return f"{cls.type} of {cls.opset} is declared twice, at {listing(places, 'and')}"


@functools.cache
def installed_operations() -> dict[str, dict[str, OpClass]]:
    """Return the operations of installed packages by type and domain; an ExtensionWarning for one declared twice."""
    found: dict[str, dict[str, OpClass]] = {}
    for item in installed(GROUP):
        for cls in item.operations:
            other = found.get(cls.type, {}).get(str(cls.opset))
            if other is None:
                found.setdefault(cls.type, {})[str(cls.opset)] = cls
            elif other is not cls:
                warn(f"{item.source} is left out in part: {_twice(cls, other)}")
    return found


def _all(by_type: Mapping[str, Mapping[str, OpClass]]) -> list[OpClass]:
    return [cls for versions in by_type.values() for cls in versions.values()]


def _spelling(known: Mapping[str, object], type: str) -> str | None:
    return type if type in known else next((name for name in known if name.lower() == type.lower()), None)


def _named(known: Mapping[str, Mapping[str, OpClass]], type: str, version: str) -> OpClass | None:
    spelt = _spelling(known, type)
    return None if spelt is None else known[spelt].get(version)


BUILT_IN: Final = Operations()
"""The operations of irrun and of installed packages."""


def operations_of(sources: Iterable[ExtensionSource]) -> Operations:
    """Return the operations of irrun together with those that sources declare, and that ``extend`` added.

    ExtensionError where a source cannot be imported or used.
    """
    additions = all_additions(sources)
    return Operations(additions) if additions else BUILT_IN
