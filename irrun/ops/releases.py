"""The releases of OpenVINO in which each opset appeared, from the page of available operation sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from irrun.diagnostics import near_match

FIRST: Final = {
    1: "2020.1",
    2: "2020.2",
    3: "2020.4",
    4: "2021.1",
    5: "2021.2",
    6: "2021.3",
    7: "2021.4",
    8: "2022.1",
    9: "2022.2",
    10: "2022.3",
    11: "2023.0",
    12: "2023.1",
    13: "2023.2",
    14: "2024.0",
    15: "2024.5",
    16: "2026.0",
    17: "2026.2",
}
"""The first release that has all of an opset."""


_LAST: Final = {2020: 4, 2021: 4, 2022: 3, 2023: 3, 2024: 6, 2025: 4}
"""The last release of each year that is over."""

_LAST_YEAR: Final = max(_LAST)

IR_11: Final = "2022.1"
"""The first release that reads version 11 of the format."""


def number(opset: str) -> int | None:
    """Return 8 for ``opset8``; None for an opset outside the numbered ones."""
    match = re.fullmatch(r"opset([1-9]\d{0,3})", opset)
    return int(match[1]) if match is not None else None


def is_meant_as_number(opset: str) -> bool:
    """Return whether a version is a numbered opset or a misspelling: ``opset99``, ``Opset1``, ``opste1``, ``1``.

    Any other version is the domain of a library of operations.
    """
    letters = "".join(filter(str.isalpha, opset.lower()))
    return letters in ("", "opset") or (4 <= len(letters) <= 6 and bool(near_match(letters, ["opset"])))


def release(text: str) -> tuple[int, int]:
    """Parse a release, 2023.3 or 2023.3.0, to year and number; ValueError for anything else.

    A release that is newer than all known ones counts as one.
    """
    match = re.fullmatch(r"(20\d\d)\.(\d+)(\.\d+)*", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a release of OpenVINO, expected one such as 2023.3")
    year, number = int(match[1]), int(match[2])
    if year <= _LAST_YEAR and number > _LAST.get(year, -1):
        among = f"{year}.0 to {year}.{_LAST[year]}" if year in _LAST else f"{min(_LAST)}.1 or later"
        raise ValueError(f"{text!r} is not a release of OpenVINO, expected {among}")
    return year, number


def least(opsets: Iterable[str], ir_version: str | None) -> str | None:
    """Return the first release that reads a file with these opsets; None where unknown. Custom opsets do not count."""
    numbers = {known for opset in opsets if (known := number(opset)) is not None}
    if not numbers <= FIRST.keys():
        return None
    needed = [FIRST[known] for known in numbers]
    return max([*needed, IR_11] if ir_version == "11" else needed, key=release, default=None)
