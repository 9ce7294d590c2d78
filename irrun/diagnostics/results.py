"""The result of one linter run, the input of every output format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.render import Finding
from irrun.diagnostics.verified import Unverified, count

ADDRESS: Final = "https://github.com/irrun/irrun"
"""The address of the project."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """The description of a rule. ``explanation`` is Markdown, ``summary`` its first sentence."""

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str
    url: str


class Problem(NamedTuple):
    """The reason why a file could not be checked, or with an empty ``filename`` why the command failed."""

    filename: str
    message: str


@dataclass(frozen=True, slots=True)
class Results:
    """The findings in ``files``, with the number of output ``ports`` that were verified.

    ``unverified`` are the ports of each file that inference neither confirms nor refutes, by reason, ``refuted`` the
    number of ports with wrong dims, reported or not. ``problems`` are what could not be checked, ``skipped`` the files
    that were found and are not IRs. Formats for other programs name files relative to ``root``. ``openvino`` is the
    first release of OpenVINO that reads all of the files, None where it is unknown.
    """

    findings: Sequence[Finding]
    files: Sequence[str] = ()
    ports: int = 0
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    root: Path = field(default_factory=Path.cwd)
    version: str = ""
    colour: bool = False
    openvino: str | None = None
    unverified: Mapping[str, tuple[Unverified, ...]] = field(default_factory=dict)
    problems: Sequence[Problem] = ()
    skipped: Sequence[str] = ()
    refuted: int = 0

    @property
    def undecided(self) -> int:
        """The number of output ports that are not verified."""
        return sum(map(count, self.unverified.values()))

    def relative(self, filename: str) -> str:
        """Return the path relative to the root, with slashes; the absolute path for a file outside of it."""
        path = Path(os.path.abspath(filename))
        root = Path(os.path.abspath(self.root))
        return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()

    def uri(self, filename: str) -> str:
        """Return a relative URI; an absolute one for a file outside of the root."""
        from urllib.parse import quote

        path = Path(self.relative(filename))
        return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
