"""Run random graphs on both tiers; each that differs is written into ``--out``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.lab import drawing
from tests.lab.graphs.engines import save_inputs
from tests.lab.graphs.graph import explain
from tests.lab.graphs.write import write
from tests.lab.tiers.graphs import difference, graph_of


def keep(seed: int, text: str, folder: Path) -> None:
    """Write the graph of a seed, its inputs, and how it differs."""
    graph = graph_of(seed)
    folder.mkdir(parents=True, exist_ok=True)
    write(graph, folder / "model.xml")
    save_inputs(graph, folder)
    (folder / "graph.txt").write_text(f"{text}\n\n{explain(graph)}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab tiers", description=__doc__)
    drawing.add_options(parser, 1000, "graphs")
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32", help="INFERENCE_PRECISION_HINT")
    parser.add_argument("--out", type=Path, help="where graphs that differ are kept")
    given = parser.parse_args(arguments)
    kept = given.out or Path(tempfile.mkdtemp(prefix="tiers-"))
    count = differing = raised = 0
    for seed in drawing.seeds(given):
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                text = difference(seed, Path(folder), given.precision)
            except Exception:  # one graph that cannot be made or run must not end the others
                raised += 1
                print(f"seed {seed} raised: {traceback.format_exc(limit=-3)}", flush=True)
                continue
        if text is not None:
            differing += 1
            print(f"seed {seed}: {text}", flush=True)
            keep(seed, text, kept / str(seed))
    print(f"{count} graphs, {raised} raise, {differing} differ" + (f": {kept}" if differing else ""))
    return 1 if differing or raised else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
