"""Make the models that the benchmarks run, in a folder that git ignores. What is there already is kept."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from exports import DEFAULT_FOLDER, MODELS, ensure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(MODELS), help="names, with commas between them")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER)
    options = parser.parse_args()
    for name in options.models.split(","):
        if name not in MODELS:
            parser.error(f"no model {name}; there are {', '.join(MODELS)}")
        began = time.perf_counter()
        made = ensure(name, options.folder)
        size = made.stem.with_suffix(".bin").stat().st_size / 2**20
        print(f"{name:28} {size:7.1f} MiB  {time.perf_counter() - began:5.1f} s  {MODELS[name].note}")


if __name__ == "__main__":
    main()
