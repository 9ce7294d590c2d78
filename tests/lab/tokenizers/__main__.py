"""Compare tokenizers and detokenizers in irrun and OpenVINO on generated texts and ids.

Every IR below the folder whose inputs are strings, or ids of tokens, is run by both engines on the same inputs, and the
outputs must be equal. Needs the packages openvino and openvino_tokenizers, of one version. The exit status is 1 where
outputs differ. With ``--speed``, tokenizers of one text are measured instead, on the documents of this repository:
tokens a second in batches, counted before they are cut to a length, and their ratio.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from irrun.model import load
from tests.lab.tokenizers.comparing import SHOWN, compare, fault, speed


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab tokenizers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only the files whose path has this in it")
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args(arguments)
    status = 0
    for path in sorted(given.folder.rglob("*.xml")):
        name = str(path.relative_to(given.folder))
        if given.only not in name:
            continue
        model = load(path)
        if given.speed:
            line = speed(model, path)
            if line is not None:
                print(f"{name}: {line}", flush=True)
            continue
        compared = compare(model, path, given.count, given.seed)
        if compared is None:
            continue
        count, found = compared
        known = fault(model, found) if found else ""
        print(f"{name}: {count - len(found)} of {count} equal{known}", flush=True)
        for item in found[: 0 if known else SHOWN]:
            print(f"    {ascii(item)[:200]}")
        status = 1 if found and not known else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
