"""Write the names of the installed OpenVINO into docs/data/openvino-api.json, and the page of those that irrun has."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from tests.lab.openvino_api.page import NAMES, files, openvino_names


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="python -m tests.lab openvino_api", description=__doc__).parse_args(arguments)
    NAMES.write_text(json.dumps(openvino_names(), indent=1) + "\n", encoding="utf-8")
    for path, text in files():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
