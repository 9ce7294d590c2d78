"""OpenVINO's own programs, of which irrun has none: those of an installed OpenVINO run on irrun."""

from __future__ import annotations

from typing import Any

from irrun.openvino.importing.absent import ABSENT


def __getattr__(name: str) -> Any:
    """Raise AttributeError with the reason."""
    raise AttributeError(f"irrun has no openvino.tools.{name}: {ABSENT['tools']}")
