"""The record of the CPU plugin's answers to the operation cases, ``docs/data/cpu-plugin.json``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.cases import AnyCase, all_cases, all_models
from tests.lab.records import DATA
from tests.ops import harness

RECORD: Final = DATA / "cpu-plugin.json"
BY_CHANCE: Final = "memory"
"""The departure of cases that sometimes agree."""

Outcomes = dict[str, list[str]]
"""The names of the cases of an operation version, by outcome."""


def cases() -> dict[tuple[str, str], list[AnyCase]]:
    """Return the cases of each operation version."""
    found: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in (*all_cases(), *all_models()):
        spec = harness.declaration(case).spec
        found[spec.type, spec.version].append(case)
    return found


def repeated(members: Iterable[AnyCase]) -> list[str]:
    """Return the names that several cases have, whose outcomes could not be told apart."""
    return [name for name, count in Counter(map(str, members)).items() if count > 1]


def outcomes(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the recorded outcome of each case, by name."""
    return {
        f"{version}{'-' if name else ''}{name}": outcome
        for version, by_outcome in record["cases"].items()
        for outcome, names in by_outcome.items()
        for name in names
    }


def merged(
    recorded: Mapping[str, Outcomes], found: Mapping[str, Outcomes], known: Iterable[AnyCase]
) -> dict[str, Outcomes]:
    """Return the recorded outcomes with those that were found, for the versions of the known cases."""
    versions = dict.fromkeys(f"{case.type}-{case.opset}" for case in known)
    return {name: found.get(name) or recorded[name] for name in versions if name in found or name in recorded}
