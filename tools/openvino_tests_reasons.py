"""Why irrun fails some of OpenVINO's own tests of its Python API."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Reason(NamedTuple):
    """A reason: the functions that it is for, and whether an interpreter of IRs in Python needs what they test."""

    functions: str
    text: str
    applies: bool = False


REASONS: Final = (Reason(r"test_remote_api|intel_gpu|custom_layer_gpu", "there is one device, the CPU"),)


def reason(function: str) -> Reason | None:
    """Return the reason for a failure of a function; None where none is known."""
    return next((item for item in REASONS if re.search(item.functions, function)), None)
