"""Run programs that use OpenVINO on the installed openvino and on irrun, and compare what they print.

The environment has the packages that they need: ``pip install openvino rapidocr rapidocr_openvino openvino-model-api
nncf torchvision``. ``--record`` writes the results, from which ``tools/generate.py`` makes a section of
docs/openvino-api.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tests.lab import records
from tests.lab.openvino_programs.running import ALL, PROGRAMS, RECORD, SIDES, outcome, run


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab openvino_programs", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for models and images")
    parser.add_argument("samples", type=Path, help="the folder samples/python of OpenVINO's sources")
    parser.add_argument("--only", default="", help="a regular expression that names of programs contain")
    parser.add_argument("--record", action="store_true", help="write docs/data/openvino-programs.json")
    given = parser.parse_args(arguments)
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    without_irrun = os.environ | {"PYTHONPATH": ""}
    subprocess.run([sys.executable, str(PROGRAMS / "prepare.py"), str(folder)], env=without_irrun, check=True)
    places = {"folder": folder, "samples": given.samples.resolve(), "programs": PROGRAMS}
    places["scripts"] = Path(sysconfig.get_path("scripts"))
    found = {}
    for name, program in ALL.items():
        if re.search(given.only, name):
            known, own = (run(program, side, places) for side in SIDES)
            release = "" if program.package == "openvino" else version(program.package)
            found[name] = [release, outcome(known, own)]
            print(f"{name}: {found[name][1]}", flush=True)
            differing = found[name][1] == "prints other lines"
            print("".join(f"  {line}\n" for line in (*known.answer, "--", *own.answer) if differing), end="")
    if given.record:
        records.write(RECORD, {"openvino": version("openvino"), "programs": found})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
