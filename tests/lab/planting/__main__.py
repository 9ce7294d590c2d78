"""Plant faults into models, and see whether their layers are named; or into files, and see what is found."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.lab.planting import files, models
from tests.linter.mutator import Mutator


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab planting", description=__doc__)
    into = parser.add_subparsers(dest="into", required=True)
    plain = into.add_parser("models", help="each kind of fault once, for irrun debug and compare")
    plain.add_argument("folder", type=Path, nargs="?", help="with IR files; by default the networks of the tests")
    texts = into.add_parser("files", help="random single faults, for irrun lint")
    texts.add_argument("folder", type=Path, help="with IR files without findings")
    texts.add_argument("--each", type=int, default=5, help="faults in each file")
    texts.add_argument("--seed", default="4")
    texts.add_argument("--kind", action="append", help="of this kind only; several are possible")
    given = parser.parse_args(arguments)
    return into_models(given) if given.into == "models" else into_files(given)


def into_models(given: argparse.Namespace) -> int:
    from tests.debugging.nets import ALL, written

    with tempfile.TemporaryDirectory() as folder:
        paths = [written(name, Path(folder)) for name in ALL] if given.folder is None else given.folder.rglob("*.xml")
        right = []
        for said, is_right in models.outcomes(sorted(paths)):
            print(said, flush=True)
            right.append(is_right)
    print(f"{right.count(True)} named, {right.count(False)} not; {right.count(None)} models that cannot run")
    return 1 if False in right else 0


def into_files(given: argparse.Namespace) -> int:
    items: list[files.Planted] = []
    with tempfile.TemporaryDirectory() as folder:
        for sound in files.files(given.folder):
            faults = Mutator(sound.text, f"{given.seed} {sound.name}").faults(given.each, given.kind)
            items += files.planted(Path(folder), sound, faults)
    print("\n".join(files.report(items)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
