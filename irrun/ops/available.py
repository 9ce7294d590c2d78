"""The operations that a model may use: irrun's, those of users, and those of installed packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.diagnostics import did_you_mean, listing, nearest
from irrun.ops import registry
from irrun.ops.extending import ExtensionError, ExtensionSource, declared, extended, installed, is_own
from irrun.ops.operation import DECLARED, Op, OpClass
from irrun.ops.releases import is_meant_as_number


class Operations:
    """The operations that a model may use: ``own`` first, then irrun's, then those of installed packages.

    A value: nothing else knows about ``own``. ExtensionError where one of them is not a usable declaration.
    """

    def __init__(self, own: Iterable[OpClass] = ()) -> None:
        self.own: tuple[OpClass, ...] = tuple(dict.fromkeys(own))
        self._own = _by_type(self.own)

    def find(self, type: str, version: str) -> OpClass | None:
        """Return the operation that a layer means; None where there is none."""
        found = _named(self._own, type, version) or registry.find(type, version)
        if found is None and not is_meant_as_number(version):
            return _named(_by_type(installed()), type, version)
        return found

    def spelling(self, type: str) -> str | None:
        """Return a type as its declaration spells it, from any case; None where there is no such operation."""
        return _spelling(self._own, type) or registry.spelling(type) or _spelling(_by_type(installed()), type)

    def resolve(self, type: str, version: str | None = None) -> OpClass:
        """Return the operation that ``registry.resolve`` describes; UnknownOperation also names near matches of own."""
        found = None if version is None else self.find(type, version)
        if found is not None:
            return found
        own = _spelling(self._own, type) or (None if registry.spelling(type) else self.spelling(type))
        if own is not None and version is None:
            return list((self._own.get(own) or _by_type(installed())[own]).values())[-1]
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
        added = {(cls.type, cls.opset): cls for cls in (*installed(), *self.own)}
        yield from sorted((*registry.declarations(), *added.values()), key=lambda cls: cls.type)

    def shadows(self, op: Op) -> bool:
        """Return whether an operation is not irrun's, but has the type of one of irrun's."""
        return not is_own(type(op)) and registry.spelling(op.type) is not None


def _by_type(classes: Iterable[OpClass]) -> dict[str, dict[str, OpClass]]:
    found: dict[str, dict[str, OpClass]] = {}
    for cls in classes:
        others = found.setdefault(cls.type, {})
        if str(cls.opset) in others:
            raise ExtensionError(f"{cls.type} is declared twice in {cls.opset}")
        others[str(cls.opset)] = cls
    return found


def _spelling(known: Mapping[str, object], type: str) -> str | None:
    return type if type in known else next((name for name in known if name.lower() == type.lower()), None)


def _named(known: Mapping[str, Mapping[str, OpClass]], type: str, version: str) -> OpClass | None:
    spelt = _spelling(known, type)
    return None if spelt is None else known[spelt].get(version)


BUILT_IN: Final = Operations()
"""The operations of irrun and of installed packages."""


def operations_of(sources: Iterable[ExtensionSource]) -> Operations:
    """Return the operations of irrun together with those that files, modules or classes declare, and ``extend`` added.

    ExtensionError where a file cannot be imported, or a declaration not be used.
    """
    own = [cls for source in (*extended(), *sources) for cls in declared(source)]
    return Operations(own) if own else BUILT_IN
