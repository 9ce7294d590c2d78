"""A model on many files of inputs: what is left to do, who does it, and a record of each input."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import listing, near_match
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch import table as parquet
from irrun.evaluation.batch.items import Item, items_of
from irrun.evaluation.batch.records import RECORDS, Records
from irrun.evaluation.batch.work import BatchWork, Group, Record
from irrun.evaluation.files.images import Preparation
from irrun.evaluation.files.naming import reshape
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.jobs import Lost, Way, spread, way
from irrun.jobs.cluster import ClusterError
from irrun.jobs.progress import told
from irrun.model import Loaded, load
from irrun.model.inference import Inference
from irrun.tensor import Shape

_NUMERICS: Final = ("OPTIMIZE", "LOW_MEMORY", "INFERENCE_PRECISION_HINT", "DYNAMIC_QUANTIZATION_GROUP_SIZE")
"""Settings that change results."""


class Batch:
    """The records of many inputs, each yielded as soon as it is written; iterating runs what is left.

    ``model`` is the model as read, ``before`` counts the inputs whose outputs are there, ``left`` the others. A record
    has ``input``, ``status`` (``done`` or ``failed``), and ``output`` and ``ms``, or ``error``.
    """

    def __init__(
        self,
        model: Loaded,
        items: Sequence[Item],
        todo: Sequence[Group],
        work: BatchWork,
        records: Records,
        table: Path | None,
        way: Way,
    ) -> None:
        self.model, self.records, self.table = model, records.path, table
        self._items, self._work, self._way, self._records = items, work, way, records
        done = records.done()
        self._todo = [group for group in todo if not all(done.get(item.path) == item.stamp for item in group)]
        self.left: int = sum(map(len, self._todo))
        self.before: int = len(items) - self.left

    def __iter__(self) -> Generator[Record, None, None]:
        try:
            with self._records.writing() as add:
                done = results(self._work, self._todo, self._way)
                for _, record in told(done, "running", unit="inputs", total=self.left):
                    add(record)
                    yield record
        finally:
            if self.table is not None:
                latest = self._records.latest()
                parquet.write(self.table, [dict(latest[item.path]) for item in self._items if item.path in latest])


def run_batch(
    model: str | Path,
    inputs: str | Sequence[str],
    folder: str | Path,
    config: Mapping[str, Any] | None = None,
    *,
    weights: Path | None = None,
    shapes: Mapping[str, Shape] | Sequence[str] = (),
    extensions: Sequence[str] = (),
    records: Path | None = None,
    batch_size: int = 1,
    steps: bool = False,
    preparation: Preparation = Preparation(),  # noqa: B008
    top: int | None = None,
    workers: Way | None = None,
) -> Batch:
    """Prepare to run a model on the files of folders, patterns and names, and write the outputs into a folder.

    Iterate over the result to run it. ``batch_size`` inputs are joined along their first axis; with ``steps``, the
    files of a folder are a sequence in one request. ``shapes`` are those of inputs, by name or as texts such as
    ``image[1,3,?,224]``. ``records`` is the file of records, .jsonl or .parquet; what it calls done is not run again.
    ``preparation`` is the way from images to inputs, ``top`` the number of likeliest classes in a record. ``workers``
    divides the work (`irrun.jobs.way`), by default over the processors. An input that fails has a record that says so.
    RequestError where files, options and model do not fit together.

    >>> for record in run_batch("model.xml", "inputs/", "outputs/"):
    ...     print(record["input"], record["status"])
    """
    model, folder = Path(model), Path(folder)
    refuse_standard_output(folder)
    if folder.suffix in (".npy", ".npz") or (folder.exists() and not folder.is_dir()):
        raise RequestError(f"-o {folder} is a file, expected a folder for the outputs of many inputs")
    lines, table = _record_files(records, folder / RECORDS)
    items = items_of([inputs] if isinstance(inputs, str) else inputs, folder)
    beside = weights or model.with_suffix(".bin")
    read = [model, beside, *map(Path, extensions), *(Path(item.path) for item in items)]
    refuse_inputs([lines, *(() if table is None else (table,))], read)
    loaded = load(model, weights, extensions=extensions)
    texts = shapes if isinstance(shapes, Sequence) else [f"{name}{shape}" for name, shape in shapes.items()]
    loaded, sizes = reshape(loaded, texts)
    if batch_size > 1:
        check_batches(loaded)
    spread_over = workers if workers is not None else way(1, None, None)
    settings = {**(config or {}), "INFERENCE_NUM_THREADS": spread_over.threads}
    travels = spread_over.scheduler is not None
    inference = Inference(model, weights, settings, shapes=sizes, extensions=extensions, travels=travels)
    work = BatchWork(inference, folder=folder, preparation=preparation, stateful=steps, top=top)
    files = [(stamp.st_size, stamp.st_mtime_ns) for stamp in (path.stat() for path in (model, beside) if path.exists())]
    named = tuple(f"{loaded.input(place).any_name}{shape}" for place, shape in sizes.items())
    shown = () if top is None else (top,)
    numerics = [settings.get(name) for name in _NUMERICS]
    identity = repr((model.name, files, named, preparation, steps, numerics, *shown))
    kept = Records(lines, hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()[:16])
    return Batch(loaded, items, groups(items, batch_size, stateful=steps), work, kept, table, spread_over)


def groups(items: Sequence[Item], size: int, *, stateful: bool) -> list[Group]:
    """Divide items into batches of a size, or into sequences: the files of one folder each."""
    if not stateful:
        return [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    folders: dict[Path, list[Item]] = {}
    for item in items:
        folders.setdefault(Path(item.path).parent, []).append(item)
    return [tuple(found) for found in folders.values()]


def check_batches(model: Loaded) -> None:
    """Raise RequestError where inputs cannot be joined along their first axis, and outputs divided."""
    first = [port.partial_shape.dims[0] if port.partial_shape.dims else None for port in model.inputs]
    for port, dim in zip(model.inputs, first, strict=True):
        if dim is None or dim.is_static:
            shape = f"{port.element_type}{port.partial_shape}"
            what = f'--batch-size: input "{port.any_name}" is {shape}, expected a dynamic first dim'
            raise RequestError(f"{what}; --shape '{port.any_name}[?,...]' makes it so")
    for port in model.outputs:
        if not port.partial_shape.dims or port.partial_shape.dims[0] != first[0]:
            shape = f"{port.element_type}{port.partial_shape}"
            raise RequestError(
                f'--batch-size: output "{port.any_name}" is {shape}, whose first dim is not that of the inputs'
            )


def results(work: BatchWork, todo: Sequence[Group], workers: Way) -> Iterator[tuple[int, Record]]:
    """Yield the number of the group and the record of each input as soon as it is there."""
    try:
        for index, records in spread(work, todo, workers.jobs, workers.scheduler, workers.requests):
            if isinstance(records, Lost):
                records = [{"input": item.path, "status": "failed", "error": records.reason} for item in todo[index]]
            yield from ((index, record) for record in records)
    except ClusterError as error:
        raise RequestError(str(error)) from None


def problem(record: Record) -> str:
    """Return the error of a failed input, which names the input."""
    return record["error"] if record["input"] in record["error"] else f"{record['input']}: {record['error']}"


def _record_files(given: Path | None, usual: Path) -> tuple[Path, Path | None]:
    """Return the file of lines, and that of the table where one is wanted."""
    if given is None or given.suffix == usual.suffix:
        return given or usual, None
    if given.suffix != parquet.SUFFIX:
        known = (usual.suffix, parquet.SUFFIX)
        close = near_match(given.suffix, known) or f", expected {listing(known)}"
        what = f"records are not written to {given.suffix or 'such'} files{close}"
        raise RequestError(f"--records {given}: {what}")
    parquet.require()
    return usual, given
