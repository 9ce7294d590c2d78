"""Finds the declaration of an operation. Importing this package's modules is what fills the registry."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator

from irrun.diagnostics import OpError, near_match
from irrun.ops.declaration import DECLARED, Op

LATEST = 17


class UnknownOperation(OpError):
    """No operation of this type, or not in this opset."""

    code = "IR301"


@functools.cache
def load() -> None:
    """Import every module of every category, so that all declarations are known."""
    import irrun.ops as package

    for category in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if category.ispkg:
            module = importlib.import_module(category.name)
            for item in pkgutil.iter_modules(module.__path__, f"{module.__name__}."):
                importlib.import_module(item.name)


def declarations() -> Iterator[type[Op]]:
    """Every declared operation version, by type and opset."""
    load()
    for type in sorted(DECLARED):
        yield from (cls for _, cls in sorted(DECLARED[type].items(), key=lambda item: _order(item[0])))


def resolve(type: str, version: str | None = None) -> type[Op]:
    """The newest declaration of ``type`` that is not newer than ``version``, such as ``opset8``; None is the latest.

    UnknownOperation names near matches, or the opset that has the operation.
    """
    load()
    versions = DECLARED.get(type)
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
