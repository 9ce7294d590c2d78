"""Run random graphs beside OpenVINO, each in one of irrun's forms.

What is done is in ``progress.jsonl`` of the folder, so that a run goes on where it was stopped. Graphs that differ are
shrunk into ``findings``. ``summary.txt`` is written now and then, and at the end.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.lab import drawing
from tests.lab.graphs.campaign import run
from tests.lab.graphs.progress import Progress

PAUSE: Final = 300
"""Seconds from one summary to the next."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab graphs", description=__doc__)
    drawing.add_options(parser, 200, "graphs")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes, each with an OpenVINO of its own")
    parser.add_argument("--out", type=Path, help="where progress and findings are kept")
    parser.add_argument("--again", action="store_true", help="run the graphs again that nothing explained")
    given = parser.parse_args(arguments)
    folder = given.out or Path(tempfile.mkdtemp(prefix="graphs-"))
    progress = Progress(folder)
    done, unexplained = progress.done, progress.unexplained
    fresh = (seed for seed in drawing.seeds(given) if seed not in done)
    printed = time.monotonic()
    for outcome in run(unexplained if given.again else fresh, given.jobs, folder):
        progress.add(outcome)
        for finding in outcome.findings:
            print(f"seed {outcome.seed}: {finding}", flush=True)
        if time.monotonic() - printed > PAUSE:
            printed = time.monotonic()
            progress.save_summary()
    progress.save_summary()
    print(progress.summary())
    return 1 if progress.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
