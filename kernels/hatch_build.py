"""Put libraries into a wheel: those of this processor, or those that ``build.py`` has built."""

from __future__ import annotations

import os
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
            folder, tags = _built_here(), sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tags}"
        if version == "standard":
            for path in sorted(Path(folder).iterdir()):
                if path.suffix != ".sources":
                    build_data["force_include"][str(path)] = f"irrun_kernels/libraries/{path.name}"


def _built_here() -> str:
    from build import build_here
    from building.stamp import LIBRARIES

    build_here([])
    return str(LIBRARIES)
