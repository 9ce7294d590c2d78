"""Finds the declaration of an operation in the module named after it, which is imported on first use."""

from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.diagnostics import OpError, did_you_mean, listing, nearest
from irrun.ops.operation import DECLARED, Op, OpClass
from irrun.ops.releases import is_meant_as_number, number

LATEST = 17

EXACT: Final = frozenset({"Const", "Result"})
"""Types that OpenVINO reads in this spelling only: ``const`` is unknown to it, and ``result`` is not an output."""

CONSTANT: Final = "constant"
"""The name of OpenVINO's class for ``Const``, which it also reads, in any case."""

READ_AS: Final[Mapping[tuple[str, str], int]] = {
    **{(type, "opset1"): 2 for type in ("MVN", "ROIPooling", "ReorgYolo")},
    **{
        (type, domain): 6
        for domain in ("experimental", "extension")
        for type in (
            *("ExperimentalDetectronDetectionOutput", "ExperimentalDetectronGenerateProposalsSingleImage"),
            *("ExperimentalDetectronPriorGridGenerator", "ExperimentalDetectronROIFeatureExtractor"),
            *("ExperimentalDetectronTopKROIs", "GRUCell", "RNNCell", "Proposal"),
        )
    },
}
"""The opset from which OpenVINO reads an operation whose version names another one.

opset1 lacked three operations that Model Optimizer wrote, and others were written before an opset had them.
"""

LEFT_OUT: Final[Mapping[str, frozenset[int]]] = {
    "RNNCell": frozenset({2}),
    "Reverse": frozenset(range(2, LATEST + 1)),
    "ShuffleChannels": frozenset({2}),
    "Xor": frozenset(range(2, LATEST + 1)),
}
"""Opsets without an operation of opset1, which was added to opset1 by mistake."""

UNFINISHED: Final[Mapping[int, frozenset[str]]] = {17: frozenset({"Convert", "Parameter", "ShapeOf"})}
"""Unfinished opsets of OpenVINO, with the operations of earlier opsets that each has so far."""


class UnknownOperation(OpError):
    """The operation does not exist, or not in this opset; ``attribute`` is the faulty ``type`` or ``version``."""

    code = "IR301"


@functools.cache
def _modules() -> dict[str, str]:
    """Return the modules of all categories by name, in lower case without underscores, for finding a type's file."""
    package = importlib.import_module("irrun.ops._declared")
    found = {}
    for category in (entry for folder in package.__path__ for entry in os.scandir(folder) if entry.is_dir()):
        for name, suffix in map(os.path.splitext, os.listdir(category)):
            if suffix == ".py" and name != "__init__":
                found[name.replace("_", "").lower()] = f"{package.__name__}.{category.name}.{name}"
    return found


@functools.cache
def load() -> None:
    """Import every module of every category, so that all declarations are known."""
    for module in _modules().values():
        importlib.import_module(module)


def spelling(type: str) -> str | None:
    """Return a type as an IR spells it, from any case; None where there is no such operation."""
    if type in DECLARED:
        return type
    name = "const" if type.lower() == CONSTANT else type.lower()
    if name not in _modules():
        return None
    importlib.import_module(_modules()[name])
    found = next((known for known in DECLARED if known.lower() == name), None)
    is_exact = type == found or type.lower() == CONSTANT
    return found if is_exact or found not in EXACT else None


def versions(type: str) -> Mapping[int | str, OpClass]:
    """Return the declarations of a type by opset; none where there is no such operation."""
    spelt = spelling(type)
    return {} if spelt is None else DECLARED[spelt]


def declarations() -> Iterator[type[Op]]:
    """Yield every declared version of every operation, by type and opset."""
    load()
    for type in sorted(DECLARED):
        yield from (cls for _, cls in sorted(DECLARED[type].items(), key=lambda item: _order(item[0])))


def find(type: str, version: str) -> OpClass | None:
    """Return the result of ``resolve``, or None where it fails."""
    spelt = spelling(type)
    if spelt is None or version in DECLARED[spelt]:
        return None if spelt is None else DECLARED[spelt][version]
    opset = READ_AS.get((spelt, version)) or number(version)
    if opset is None or opset > LATEST or opset in LEFT_OUT.get(spelt, ()):
        return None
    newest = _newest(DECLARED[spelt], opset)
    is_there = newest == opset or opset not in UNFINISHED or spelt in UNFINISHED[opset]
    return DECLARED[spelt][newest] if newest is not None and is_there else None


def resolve(type: str, version: str | None = None) -> OpClass:
    """Return the newest declaration of ``type`` up to ``version``, such as ``opset8``; None is the latest.

    Types and neighbouring opsets are interpreted as in OpenVINO. UnknownOperation names near matches, or the opset that
    has the operation.
    """
    known = versions(type)
    if version is None and known:
        return known[max(known, key=_order)]
    found = None if version is None else find(type, version)
    if found is not None:
        return found
    if version is not None and is_meant_as_number(version) and not 1 <= (number(version) or 0) <= LATEST:
        raise _no_opset(type, version, known)
    where = f" in {version}" if version is not None else ""
    if not known:
        load()
        meant = nearest(type, DECLARED)
        raise UnknownOperation(f"no operation {type}{where}{did_you_mean(meant)}", attribute="type", meant=meant)
    newest = _newest(known, number(version or "") or 0)
    has = _names(known) if newest is None else [f"opset{newest}"]
    what = f"no operation {type}{where}; it is in {listing(has, 'and')}"
    raise UnknownOperation(what, attribute="version", meant=has[0] if number(has[0]) is not None else None)


def _no_opset(type: str, version: str, known: Mapping[int | str, OpClass]) -> UnknownOperation:
    """Return the error for an opset that is too new, or misspelt: those that have the operation are suggested first."""
    opsets = [f"opset{number}" for number in range(1, LATEST + 1)]
    if re.fullmatch(r"opset[1-9]\d", version) is not None and (number(version) or 0) > LATEST:
        what = f"{version} is newer than opset{LATEST}, the latest that irrun knows"
        return UnknownOperation(what, attribute="version")
    is_number = re.fullmatch(r"opset\d+", version) is not None
    meant = None if is_number else nearest(version, _names(known)) or nearest(version, opsets)
    what = f"no operation {type} in {version}{did_you_mean(meant)}"
    if meant is None:
        shown = f"{version[:40]}…" if len(version) > 40 else version or "of an empty name"
        what = f"no opset {shown}, expected opset1 to opset{LATEST}"
    return UnknownOperation(what, attribute="version", meant=meant)


def _newest(versions: Iterable[int | str], opset: int) -> int | None:
    """Return the newest opset up to ``opset``."""
    return max([item for item in versions if isinstance(item, int) and item <= opset], default=None)


def _order(opset: int | str) -> tuple[int, str]:
    return (opset, "") if isinstance(opset, int) else (0, opset)


def _names(versions: Mapping[int | str, OpClass]) -> list[str]:
    return [f"opset{opset}" if isinstance(opset, int) else opset for opset in sorted(versions, key=_order)]
