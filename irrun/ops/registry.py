"""Finds the declaration of an operation: in the module that is named like it, which is imported when first needed."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator

from irrun.diagnostics import OpError, near_match
from irrun.ops.declaration import DECLARED, Op, OpClass

LATEST = 17


class UnknownOperation(OpError):
    """No operation of this type, or not in this opset."""

    code = "IR301"


@functools.cache
def _modules() -> dict[str, str]:
    """The modules of all categories by name, lower case and without underscores: how a type finds its file."""
    import irrun.ops as package

    found = {}
    for category in pkgutil.iter_modules(package.__path__):
        if category.ispkg:
            folders = [f"{path}/{category.name}" for path in package.__path__]
            for module in pkgutil.iter_modules(folders):
                found[module.name.replace("_", "").lower()] = f"{package.__name__}.{category.name}.{module.name}"
    return found


@functools.cache
def load() -> None:
    """Import every module of every category, so that all declarations are known."""
    for module in _modules().values():
        importlib.import_module(module)


def _versions(type: str) -> dict[int | str, OpClass] | None:
    """The declarations of a type. Its module is named like it; the others are imported only to be sure of that."""
    if type not in DECLARED and type.lower() in _modules():
        importlib.import_module(_modules()[type.lower()])
    if type not in DECLARED:
        load()
    return DECLARED.get(type)


def declarations() -> Iterator[type[Op]]:
    """Every declared operation version, by type and opset."""
    load()
    for type in sorted(DECLARED):
        yield from (cls for _, cls in sorted(DECLARED[type].items(), key=lambda item: _order(item[0])))


def resolve(type: str, version: str | None = None) -> type[Op]:
    """The newest declaration of ``type`` that is not newer than ``version``, such as ``opset8``; None is the latest.

    UnknownOperation names near matches, or the opset that has the operation.
    """
    versions = _versions(type)
    where = f" in {version}" if version is not None else ""
    if versions is None:
        raise UnknownOperation(f"no operation {type}{where}{near_match(type, DECLARED)}")
    if version is None:
        return versions[max(versions, key=_order)]
    number = re.fullmatch(r"opset(\d+)", version)
    if number is None:
        if version in versions:
            return versions[version]
        raise UnknownOperation(f"no operation {type} in {version}{near_match(version, _names(versions))}")
    opset = int(number[1])
    if not 1 <= opset <= LATEST:
        raise UnknownOperation(f"no opset {version}, expected opset1 to opset{LATEST}")
    older = [declared for declared in versions if isinstance(declared, int) and declared <= opset]
    if not older:
        raise UnknownOperation(f"no operation {type} in {version}; it is in {' and '.join(_names(versions))}")
    return versions[max(older)]


def _order(opset: int | str) -> tuple[int, str]:
    return (opset, "") if isinstance(opset, int) else (0, opset)


def _names(versions: dict[int | str, type[Op]]) -> list[str]:
    return [f"opset{opset}" if isinstance(opset, int) else opset for opset in sorted(versions, key=_order)]
