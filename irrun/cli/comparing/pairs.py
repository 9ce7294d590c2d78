"""The pairs of files that two arguments name: two files, or those of the same name below two folders or patterns."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from irrun.cli.failures import Failure
from irrun.document.reader import load
from irrun.evaluation.batch.items import files_of
from irrun.linter.files import looks_like_ir

SUFFIXES: Final = frozenset({".xml"})


class Pair(NamedTuple):
    """A model, and another model, its expected outputs, or None for OpenVINO. ``problem`` tells of a missing file."""

    name: str
    model: Path
    other: Path | None = None
    problem: str = ""


def pairs_of(first: str, second: str | None) -> list[Pair]:
    """Return the pairs of two arguments in natural order; Failure where the first names no model."""
    if Path(first).is_file() and second is not None and (not Path(second).is_dir() or _holds_outputs(Path(second))):
        if not Path(second).exists():
            raise Failure(f"{second}: there is no such file, expected a model, or outputs as irrun run -o writes them")
        return [Pair(first, Path(first), Path(second))]
    models = _models(first)
    if second is None:
        return [Pair(str(path), path) for path in models.values()]
    if Path(first).is_file() or Path(second).is_file():
        raise Failure(f"{first} and {second} are a file and a folder, expected two of one kind")
    others = _models(second)
    names = [*models, *(name for name in others if name not in models)]
    return [_pair(name, models.get(name), others.get(name), (first, second)) for name in names]


def _holds_outputs(folder: Path) -> bool:
    """Return whether a folder holds outputs as ``irrun run -o`` writes them, and no model."""
    return any(folder.glob("*.npy")) and not any(folder.rglob("*.xml"))


def _pair(name: str, model: Path | None, other: Path | None, sides: tuple[str, str]) -> Pair:
    if model is not None and other is not None:
        return Pair(name, model, other)
    missing = sides[0] if model is None else sides[1]
    return Pair(name, model or Path(name), other, f"{name} has no counterpart in {missing}")


def _models(text: str) -> dict[str, Path]:
    """Return the IR files that an argument names, by their path below its folder."""
    found = {path.relative_to(root).as_posix(): path for path, root in files_of(text, SUFFIXES)}
    models = {name: path for name, path in found.items() if str(path) == text or looks_like_ir(load(path))}
    if not models:
        raise Failure(f"{text}: there is no such file, expected a model, or a folder or pattern of models")
    return models
