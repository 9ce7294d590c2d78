"""Finds the declaration of an operation: in the module that is named like it, which is imported when first needed."""

from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.diagnostics import OpError, near_match
from irrun.ops.declaration import DECLARED, Op, OpClass
from irrun.ops.releases import is_meant_as_number, number

LATEST = 17

EXACT: Final = frozenset({"Const", "Result"})
"""Types that OpenVINO reads in this spelling only: ``const`` is unknown to it, and ``result`` gives no output."""

CONSTANT: Final = "constant"
"""How OpenVINO's class is called that an IR spells ``Const``: it reads that too, in upper and lower case."""

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
"""The opset that OpenVINO takes an operation from where its version says another one.

opset1 lacked three operations that Model Optimizer wrote, and others were written before an opset had them.
"""

LEFT_OUT: Final[Mapping[str, frozenset[int]]] = {
    "RNNCell": frozenset({2}),
    "Reverse": frozenset(range(2, LATEST + 1)),
    "ShuffleChannels": frozenset({2}),
    "Xor": frozenset(range(2, LATEST + 1)),
}
"""Opsets that lack an operation of opset1, to which it was added by mistake."""

UNFINISHED: Final[Mapping[int, frozenset[str]]] = {17: frozenset({"Convert", "Parameter", "ShapeOf"})}
"""Opsets that OpenVINO is still at work on, each with the operations of earlier ones that it has so far."""


class UnknownOperation(OpError):
    """No operation of this type, or not in this opset. ``attribute`` is ``type`` or ``version``, what is at fault."""

    code = "IR301"


@functools.cache
def _modules() -> dict[str, str]:
    """The modules of all categories by name, lower case and without underscores: how a type finds its file."""
    import irrun.ops as package

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
    """A type as an IR spells it, from any case; None where there is no such operation."""
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
    """The declarations of a type by opset; none where there is no such operation."""
    spelt = spelling(type)
    return {} if spelt is None else DECLARED[spelt]


def declarations() -> Iterator[type[Op]]:
    """Every declared operation version, by type and opset."""
    load()
    for type in sorted(DECLARED):
        yield from (cls for _, cls in sorted(DECLARED[type].items(), key=lambda item: _order(item[0])))


def find(type: str, version: str) -> OpClass | None:
    """What ``resolve`` gives, and None where that fails."""
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
    """The newest declaration of ``type`` that is not newer than ``version``, such as ``opset8``; None is the latest.

    Types and neighbouring opsets are understood as OpenVINO reads them. UnknownOperation names near matches, or the
    opset that has the operation.
    """
    known = versions(type)
    if version is None and known:
        return known[max(known, key=_order)]
    found = None if version is None else find(type, version)
    if found is not None:
        return found
    if version is not None and is_meant_as_number(version) and not 1 <= (number(version) or 0) <= LATEST:
        raise UnknownOperation(_no_opset(type, version, known), attribute="version")
    where = f" in {version}" if version is not None else ""
    if not known:
        load()
        raise UnknownOperation(f"no operation {type}{where}{near_match(type, DECLARED)}", attribute="type")
    newest = _newest(known, number(version or "") or 0)
    has = f"opset{newest}" if newest is not None else " and ".join(_names(known))
    raise UnknownOperation(f"no operation {type}{where}; it is in {has}", attribute="version")


def _no_opset(type: str, version: str, known: Mapping[int | str, OpClass]) -> str:
    """The message about a version that was meant as one of the opsets; those that have the operation are likelier."""
    opsets = [f"opset{number}" for number in range(1, LATEST + 1)]
    is_number = re.fullmatch(r"opset\d+", version) is not None
    close = "" if is_number else near_match(version, _names(known)) or near_match(version, opsets)
    if close:
        return f"no operation {type} in {version}{close}"
    return f"no opset {version or 'of an empty name'}, expected opset1 to opset{LATEST}"


def _newest(versions: Iterable[int | str], opset: int) -> int | None:
    """The newest of the opsets that are not newer than one."""
    return max((item for item in versions if isinstance(item, int) and item <= opset), default=None)


def _order(opset: int | str) -> tuple[int, str]:
    return (opset, "") if isinstance(opset, int) else (0, opset)


def _names(versions: Mapping[int | str, OpClass]) -> list[str]:
    return [f"opset{opset}" if isinstance(opset, int) else opset for opset in sorted(versions, key=_order)]
