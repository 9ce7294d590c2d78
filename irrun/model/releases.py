"""Which release of OpenVINO has which opset, as the page of available operation sets prints it."""

from __future__ import annotations

import re
from typing import Final

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


def number(opset: str) -> int | None:
    """8 for ``opset8``; None for an opset outside the numbered ones."""
    match = re.fullmatch(r"opset(\d+)", opset)
    return int(match[1]) if match is not None else None
