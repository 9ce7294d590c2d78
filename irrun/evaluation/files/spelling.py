"""Values as JSON, which has no numbers that are not finite."""

from __future__ import annotations

import json
import math
from typing import Any


def spelled(value: Any) -> Any:
    """Return a value whose numbers that JSON does not have are the texts ``NaN``, ``Infinity`` and ``-Infinity``."""
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def compact(value: Any) -> str:
    """Return JSON on one line."""
    return json.dumps(spelled(value), ensure_ascii=False, allow_nan=False)
