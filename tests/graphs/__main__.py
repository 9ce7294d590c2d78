"""Runs many random graphs beside OpenVINO: ``python -m tests.graphs --count 20000 --seed 1 --jobs 2 --out FOLDER``.

What is done is in ``progress.jsonl`` of the folder, so that a run goes on where it was stopped. Graphs that differ are
shrunk into ``findings``. ``summary.txt`` is written now and then, and at the end.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.graphs.campaign import run
from tests.graphs.progress import Progress

PAUSE: Final = 300
"""Seconds from one summary to the next."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.graphs", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many graphs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes, each with an OpenVINO of its own")
    parser.add_argument("--out", type=Path, help="where progress and findings are kept")
    parser.add_argument("--again", action="store_true", help="run the graphs again that nothing explained")
    args = parser.parse_args()
    folder = args.out or Path(tempfile.mkdtemp(prefix="graphs-"))
    progress = Progress(folder)
    fresh = [seed for seed in range(args.seed, args.seed + args.count) if seed not in progress.done]
    seeds = progress.unexplained if args.again else fresh
    printed = time.monotonic()
    for outcome in run(seeds, args.jobs, folder):
        progress.add(outcome)
        for finding in outcome.findings:
            print(f"seed {outcome.seed}: {finding}", flush=True)
        if time.monotonic() - printed > PAUSE:
            printed = time.monotonic()
            progress.save_summary()
    progress.save_summary()
    print(progress.summary())


if __name__ == "__main__":
    main()
