"""The figures of guides that a busy machine does not change: ``python benchmarks/figures.py`` writes them.

They are peaks of memory and processor seconds, of irrun and OpenVINO, with their versions. ``docs/data/figures.json``
keeps them, and ``tests/test_claims.py`` compares the pages with it. It takes some minutes and 4 GiB of disk.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from startup import spent

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "docs" / "data" / "figures.json"

LARGE: Final = """
import numpy as np
import irrun
from irrun.openvino import opset13

data = opset13.parameter([1, 16384], np.float32)
weights = np.ones((16384, 16384), np.float32)
product = opset13.matmul(data, weights, False, False, name="product")
irrun.save_model(irrun.Model([product], [data]), "large.xml", compress_to_fp16=False)
"""
"""Writes a model with weights of 1 GiB."""

OPENVINO: Final = """
import openvino

model = openvino.Core().read_model("large.xml")
next(node for node in model.get_ops() if node.friendly_name == "product").friendly_name = "renamed"
openvino.save_model(model, "other.xml", compress_to_fp16=False)
"""

PEAK: Final = """
import sys
from worker import peak_mib

{code}
print("peak", round(peak_mib()), file=sys.stderr)
"""

RENAME: Final = """
import sys
from irrun.cli import main

sys.argv[1:] = ["edit", "rename", "large.xml", "--layer", "product=renamed", "-o", "new.xml"]
try:
    main()
except SystemExit as ended:
    assert not ended.code
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _python(LARGE, folder)
        found: dict[str, Any] = {
            "versions": {package: importlib.metadata.version(package) for package in ("numpy", "lxml", "openvino")},
            "rename a layer beside 1 GiB of weights, peak MiB": {
                "irrun": _peak(RENAME, folder),
                "OpenVINO": _peak(OPENVINO, folder),
            },
            "build the kernels of this processor, processor seconds": _built(folder),
        }
    DATA.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(DATA.read_text(encoding="utf-8"))


def _peak(code: str, folder: Path) -> int:
    """Return the most memory that a process has while it runs a program, in MiB."""
    return int(_python(PEAK.format(code=code), folder).split()[-1])


def _built(folder: Path) -> int:
    """Return the processor seconds that a build of the kernels takes where nothing was built before."""
    kernels = folder / "kernels"
    shutil.copytree(ROOT / "kernels", kernels, ignore=shutil.ignore_patterns("build", "libraries", "__pycache__"))
    before = spent()
    subprocess.run([sys.executable, str(kernels / "build.py")], check=True, cwd=folder)
    return round(spent() - before)


def _python(code: str, folder: Path) -> str:
    path = str(Path(__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{code}"],
        check=True, cwd=folder, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    return ran.stderr


if __name__ == "__main__":
    main()
