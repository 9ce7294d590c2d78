"""The releases of OpenVINO in which each opset appeared, from the page of available operation sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

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
"""The first release that has an opset as a whole."""

OTHERS: Final[Mapping[str, str]] = {
    "FakeConvert-13": "2023.3",
    "ScaledDotProductAttention-13": "2023.3",
    "AvgPool-14": "2024.1",
    "MaxPool-14": "2024.1",
    "BitwiseLeftShift-15": "2024.4",
    "BitwiseRightShift-15": "2024.4",
    "Col2Im-15": "2024.2",
    "EmbeddingBagOffsets-15": "2024.2",
    "EmbeddingBagPacked-15": "2024.2",
    "ROIAlignRotated-15": "2024.2",
    "ScatterNDUpdate-15": "2024.2",
    "SliceScatter-15": "2024.4",
    "StringTensorPack-15": "2024.4",
    "StringTensorUnpack-15": "2024.4",
    "AvgPool-16": "2025.3",
    "ISTFT-16": "2025.1",
    "Identity-16": "2025.0",
    "OneHot-16": "2025.4",
    "SegmentMax-16": "2025.1",
    "SparseFillEmptyRows-16": "2025.2",
    "GroupedMatMul-17": "2026.3",
}
"""The first release of operations that came before or after their opset: ``python -m tests.lab releases``."""


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


class Need(NamedTuple):
    """The first release that reads a file or a layer, and what decides it: an operation, or the format's version."""

    release: str
    reason: str


def first(type: str, version: str) -> str | None:
    """Return the first release that has an operation of an opset; None for a version that is no known opset."""
    opset = number(version)
    return None if opset is None else OTHERS.get(f"{type}-{opset}", FIRST.get(opset))
