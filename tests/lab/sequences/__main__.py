"""Run sessions of random models on many shapes in turn, and compare each outcome with that of a fresh model."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.lab import drawing
from tests.lab.sequences.walks import differences, dynamic_graphs


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab sequences", description=__doc__)
    drawing.add_options(parser, 200, "models")
    parser.add_argument("--shapes", type=int, default=100, help="of each model")
    given = parser.parse_args(arguments)
    models = differing = refused = 0
    for _, (seed, graph) in zip(drawing.seeds(given), dynamic_graphs(given.seed), strict=False):
        with tempfile.TemporaryDirectory() as folder:
            found, refusals = differences(graph, seed, given.shapes, Path(folder))
        models += 1
        differing += len(found)
        refused += refusals
        print("".join(f"{line}\n" for line in found[:3]), end="", flush=True)
    print(f"{models} models, {models * given.shapes} shapes, {refused} refused, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
