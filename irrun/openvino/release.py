"""The release of OpenVINO whose Python API this is."""

from __future__ import annotations

from typing import Final

from irrun.diagnostics.version import __version__

NUMBER: Final = "2026.4.1"
RELEASE: Final = f"{NUMBER}-0-irrun-{__version__}"
"""The number, a build and a branch, the form of OpenVINO's versions, which programs take apart."""
