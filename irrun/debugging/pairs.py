"""The comparison of pairs of files: two, or those of the same name below two folders or patterns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.debugging.comparing import Record, compare
from irrun.debugging.faults import REFUSED, DebugError, refusal
from irrun.debugging.layers import Tolerance
from irrun.debugging.ports import of_shapes
from irrun.debugging.sides import OPENVINO, Side
from irrun.debugging.verdicts import Verdict
from irrun.document.reader import load as read
from irrun.evaluation.batch.items import files_of
from irrun.evaluation.files import arrays, reading, saving
from irrun.evaluation.files.naming import reshape
from irrun.jobs.cluster import ClusterError
from irrun.jobs.items import Lost, Way, way
from irrun.jobs.progress import told
from irrun.jobs.spread import in_order, spread
from irrun.linter.files import looks_like_ir
from irrun.model import Loaded, Port, load
from irrun.ops.importing import at
from irrun.tensor import Array, Shape

SUFFIXES: Final = frozenset({".xml"})
ONNX: Final = ".onnx"


class Pair(NamedTuple):
    """A model, and another model, its expected outputs, or None for OpenVINO. ``problem`` tells of a missing file.

    ``files`` are inputs of its own, as texts ``[NAME=]FILE``.
    """

    name: str
    model: Path
    other: Path | None = None
    problem: str = ""
    files: tuple[str, ...] = ()


def pairs_of(first: str, second: str | None) -> list[Pair]:
    """Return the pairs of two arguments in natural order; DebugError where the first names no model."""
    if Path(first).is_file() and second is not None and (not Path(second).is_dir() or _holds_outputs(Path(second))):
        if not Path(second).exists():
            raise DebugError(
                f"{second}: there is no such file, expected a model, or outputs as irrun run -o writes them"
            )
        return [Pair(first, Path(first), Path(second))]
    models = _models(first)
    if second is None:
        return [Pair(str(path), path) for path in models.values()]
    if Path(first).is_file() or Path(second).is_file():
        raise DebugError(f"{first} and {second} are a file and a folder, expected two of one kind")
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
    models = {name: path for name, path in found.items() if str(path) == text or looks_like_ir(read(path))}
    if not models:
        raise DebugError(f"{text}: there is no such file, expected a model, or a folder or pattern of models")
    return models


@dataclass(frozen=True, slots=True)
class PairWork:
    """Compares the files of a pair, here or in a worker, on inputs that are equal for all pairs; returns a record.

    ``files`` are texts ``[NAME=]FILE``, without which inputs are random, ``shapes`` texts ``[NAME][SHAPE]``. The record
    is that of a `Comparison` with ``every`` layer or not, or with ``only_outputs``; its ``status`` is ``equal``,
    ``different``, or ``failed`` with an ``error``.
    """

    config: Mapping[str, Any]
    tolerance: Tolerance = field(default_factory=Tolerance)
    files: Sequence[str] = ()
    seed: int = 0
    shapes: Sequence[str] = ()
    weights: Path | None = None
    every: bool = False
    fail_fast: bool = False
    only_outputs: bool = False
    extensions: Sequence[str] = ()
    root: Path = field(default_factory=Path.cwd)

    def __call__(self, pair: Pair) -> Record:
        record = _head(pair)
        try:
            if pair.problem:
                raise DebugError(pair.problem)
            return {**record, **self._compared(self._here(pair))}
        except REFUSED as error:
            return failed(record, refusal(error))

    def _here(self, pair: Pair) -> Pair:
        """Return a pair as this worker finds it, which may have another working directory."""
        if Path.cwd() == self.root:
            return pair
        other = None if pair.other is None else self.root / pair.other
        return pair._replace(model=self.root / pair.model, other=other)

    def _compared(self, pair: Pair) -> Record:
        weights = None if self.weights is None else self.root / self.weights
        model, shapes = reshape(self._read(pair.model, weights), self.shapes)
        folder = Path() if Path.cwd() == self.root else self.root
        found = reading.from_files((*self.files, *pair.files), model.inputs, folder, self.config.get("MAX_MEMORY"))
        given = reading.by_index(reading.completed(found, model, self.seed))
        if pair.other is None:
            from irrun.debugging.engines import OpenVINOSide

            other: Loaded | Side | Sequence[Array | None] = OpenVINOSide(pair.model, given, weights, shapes)
        else:
            other = self._other(pair.other, model, given, shapes)
        return compare(
            model,
            other,
            given,
            self.tolerance,
            config=self.config,
            every=self.every,
            fail_fast=self.fail_fast,
            only_outputs=self.only_outputs,
            name=str(pair.other),
        ).as_dict(every=self.every)

    def _other(
        self, path: Path, model: Loaded, given: Mapping[int, Array], shapes: Mapping[int, Shape]
    ) -> Loaded | Side | Sequence[Array | None]:
        """Return another model, one of ONNX, or the expected outputs."""
        if path.suffix == ONNX:
            from irrun.debugging.onnx_runtime import OnnxSide

            side = OnnxSide(path)
            side.feed({port.all_names: given[port.index] for port in model.inputs})
            return side
        if path.suffix in (".npy", ".npz") or path.is_dir():
            return _expected(path, model.outputs, self.config.get("MAX_MEMORY"))
        return of_shapes(self._read(path, None), model, shapes)

    def _read(self, path: Path, weights: Path | None) -> Loaded:
        return load(path, weights, extensions=[at(source, self.root) for source in self.extensions])


def failed(head: Record, error: str) -> Record:
    """Return the record of a pair that could not be compared; its verdict is ``unknown``."""
    return {**head, "status": "failed", "error": error, **Verdict("unknown", reason=error).as_dict()}


def _head(pair: Pair) -> Record:
    return {"name": pair.name, "model": str(pair.model), "other": OPENVINO if pair.other is None else str(pair.other)}


def worst_of(records: Sequence[Record]) -> int | None:
    """Return the place of the record whose outputs differ most, shapes before errors; None where all are equal."""
    far: dict[int, float] = {}
    for place, record in enumerate(records):
        if record["status"] == "different":
            wrong = [item for item in record["outputs"] if item["differs"]]
            far[place] = max(math.inf if item["problem"] else item["relative"] for item in wrong)
    return max(far, key=lambda place: far[place], default=None)


def compare_files(work: PairWork, pairs: Sequence[Pair], workers: Way | None = None) -> Iterator[Record]:
    """Yield the record of each pair, in their order; with ``fail_fast``, up to the first that is not equal.

    ``workers`` divides the work (`irrun.jobs.way`), by default in this process.

    >>> pairs = pairs_of("old/", "new/")
    >>> differing = [record for record in compare_files(PairWork({}), pairs) if record["status"] == "different"]
    """
    chosen = way(1, None, 1) if workers is None else workers
    found = in_order(spread(work, pairs, chosen.jobs, chosen.scheduler))
    shown = told(found, "comparing", unit="pairs", total=len(pairs)) if len(pairs) > 1 else found
    try:
        for pair, item in zip(pairs, shown, strict=False):
            record = failed(_head(pair), item.reason) if isinstance(item, Lost) else item
            yield record
            if work.fail_fast and record["status"] != "equal":
                return
    except ClusterError as error:
        raise DebugError(str(error)) from None


def _expected(path: Path, ports: Sequence[Port], budget: int | None) -> list[Array | None]:
    """Return the expected outputs: one array, or several by the names that `run -o` gives them, or by place.

    ``path`` is a file, or a folder of .npy files. DebugError where a name is unknown.
    """
    written = saving.output_names(ports)
    if path.is_dir():
        names = saving.file_stems(written)
        loaded: Array | Mapping[str, Array] = {
            file.stem: arrays.load_one(file, budget) for file in sorted(path.glob("*.npy"))
        }
    else:
        names = saving.member_names(written)
        loaded = arrays.load(path, budget)
    if not isinstance(loaded, Mapping):
        return [loaded]
    by_name = {name: port.index for port in ports for name in port.all_names if name}
    by_name |= {
        name: port.index for port, some in zip(ports, zip(written, names, strict=True), strict=True) for name in some
    }
    numbered = [f"arr_{index}" for index in range(len(ports))]
    if loaded.keys() == set(numbered) and not by_name.keys() & loaded.keys():
        return [loaded[name] for name in numbered]
    found: list[Array | None] = [None] * len(ports)
    for name, array in loaded.items():
        if name not in by_name:
            raise DebugError(f'{path}: no output "{name}", expected {", ".join(port.any_name for port in ports)}')
        found[by_name[name]] = array
    return found
