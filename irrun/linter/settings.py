"""The settings of the linter: what a file is checked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from irrun.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class LinterSettings:
    """The rules and targets that a file is checked for.

    ``codes`` are the rules that apply, None for all; ``asked`` are those that were selected by name: infos of opt-in
    rules are reported for these only. ``target_version`` is the oldest release of OpenVINO that must read the file,
    ``target_precision`` f16 where the model is to be computed in f16, ``max_memory`` the most bytes that its tensors
    may take, ``purposes`` what it is for: genai, npu. ``fail_level`` is the lowest severity that fails; with
    ``require_verified``, a port that is not verified fails too. ``rules`` are
    the settings of rules, by their codes or names.
    """

    codes: Collection[str] | None = None
    asked: Collection[str] = ()
    target_version: str | None = None
    target_precision: str | None = None
    max_memory: int | None = None
    purposes: Collection[str] = ()
    fail_level: Severity = Severity.WARNING
    require_verified: bool = False
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def applies(self, code: str) -> bool:
        """Return whether findings with a code count."""
        return self.codes is None or code in self.codes
