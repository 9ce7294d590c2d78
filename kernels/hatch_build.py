"""Put libraries into a wheel: those of this processor, or those that ``build.py`` has built."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))


class CustomBuildHook(BuildHookInterface[Any]):
    """Builds the libraries of this processor, unless the environment names a folder of libraries and its tags."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder, tags = os.environ.get("IRRUN_KERNELS_LIBRARIES"), os.environ.get("IRRUN_KERNELS_TAGS")
        if folder is None or tags is None:
            folder, tags = _built(version), sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tags}"
        if version == "standard":
            for path in sorted(Path(folder).iterdir()):
                build_data["force_include"][str(path)] = f"irrun_kernels/libraries/{path.name}"


def _built(version: str) -> str:
    """Build beside the sources if the package is used where it is; for a wheel, apart from these."""
    from build import build_here
    from building.libraries import ROOT, best_level, build
    from building.systems import this_system
    from irrun_kernels.library import FOLDER

    if version != "standard":
        build_here([])
        return str(FOLDER)
    system, folder = this_system(), ROOT / "build" / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    build({system: [best_level(system)]}, {system: folder})
    return str(folder)
