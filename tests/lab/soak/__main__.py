"""Run 16 threads with 1,000 inferences each of each model, and 10,000 in a row."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.engines import TIERS
from tests.lab.soak.soak import differences, growth


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab soak", description=__doc__)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--inferences", type=int, default=1000, help="of each thread and model")
    parser.add_argument("--row", type=int, default=10_000, help="inferences of each model whose memory is compared")
    given = parser.parse_args(arguments)
    failed = False
    for tier in TIERS:
        with tempfile.TemporaryDirectory() as folder:
            found = differences(tier, given.threads, given.inferences, Path(folder))
            print(f"{tier}: {given.threads} threads, {given.inferences} inferences: {len(found)} differ", flush=True)
            print("".join(f"  {line}\n" for line in found[:5]), end="")
            grown = growth(tier, given.row, Path(folder))
            print(f"{tier}: bytes more after {given.row // 2:,} inferences: {grown}", flush=True)
            failed = failed or bool(found) or max(grown.values()) > 100_000
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
