"""Plant faults in a small IR, and write docs/read-model.md: the answers of OpenVINO's read_model and of irrun.

``tools/generate.py`` updates the findings of irrun, keeps the answers of OpenVINO, and copies some rows to
docs/linting.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from tests.lab.read_model.page import PAGE, files, page


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="python -m tests.lab read_model", description=__doc__).parse_args(arguments)
    PAGE.write_text(page(version("openvino"), {}), encoding="utf-8")
    for path, text in files():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
