"""A model on many files of inputs: what is left to do, who does it, and a record of each input."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import listing, near_match
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch import table as parquet
from irrun.evaluation.batch.items import BatchItem, items_of, key, skipped
from irrun.evaluation.batch.records import RECORDS, Records, saved
from irrun.evaluation.batch.work import BatchWork, Group, Record, elsewhere
from irrun.evaluation.files import reading
from irrun.evaluation.files.images import IMAGES
from irrun.evaluation.files.naming import reshape, with_batch
from irrun.evaluation.files.preparing import Preparation, described, prepared
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.jobs.cluster import ClusterError
from irrun.jobs.items import Lost, Way, way
from irrun.jobs.progress import told
from irrun.jobs.spread import spread
from irrun.model import Loaded, load
from irrun.model.inference import Inference
from irrun.tensor import Array, Shape

_NUMERICS: Final = ("OPTIMIZE", "LOW_MEMORY", "INFERENCE_PRECISION_HINT", "DYNAMIC_QUANTIZATION_GROUP_SIZE")
"""Settings that change results."""


class Batch:
    """The records of many inputs, each yielded as soon as it is written; iterating runs what is left.

    ``model`` is the model as read, ``items`` are all inputs, ``before`` counts those whose outputs are there, ``left``
    the others; ``skipped`` counts the files of folders that are no inputs, by suffix, and ``images`` says how images
    become an input. A record has ``input``, ``status`` (``done`` or ``failed``), and ``output`` and ``ms``, or
    ``error``.
    """

    def __init__(
        self, model: Loaded, items: Sequence[BatchItem], todo: Sequence[Group], work: BatchWork, way: Way
    ) -> None:
        self.model: Loaded = model
        self.items: Sequence[BatchItem] = items
        self.skipped: Mapping[str, int] = {}
        self.images: str | None = None
        self.records: Path | None = None
        self.table: Path | None = None
        self._todo, self._work, self._way = list(todo), work, way
        self._records: Records | None = None
        self.before: int = 0
        self.left: int = len(items)

    def keep(self, records: Records, table: Path | None) -> None:
        """Write records into a file, and do not run again what it calls done."""
        self._records, self.records, self.table = records, records.path, table
        done = records.done()
        self._todo = [
            group for group in self._todo if not all(done.get(key(item.path)) == item.stamp for item in group)
        ]
        self.left = sum(map(len, self._todo))
        self.before = len(self.items) - self.left

    def __iter__(self) -> Generator[Record, None, None]:
        found = told(results(self._work, self._todo, self._way), "running", unit="inputs", total=self.left)
        if self._records is None:
            yield from (record for _, record in found)
            return
        try:
            with self._records.writing() as add:
                for _, record in found:
                    add(record)
                    yield record
        finally:
            if self.table is not None:
                parquet.write(self.table, list(self.latest()))

    def latest(self) -> Iterator[Record]:
        """Yield the last record of each input that has one, in the order of the inputs."""
        known = self._records.latest() if self._records is not None else {}
        yield from ({**known[key(item.path)], "input": item.path} for item in self.items if key(item.path) in known)

    def all(self, output: int) -> Generator[tuple[Record, Array | None], None, None]:
        """Yield the record of each input, and the output at a place: None where it failed. Runs what is left."""
        todo = {item.path for group in self._todo for item in group}
        if self.before:
            yield from (self._with_output(item, output) for item in self.latest() if item["input"] not in todo)
        with closing(iter(self)) as records:
            for record in records:
                yield self._with_output(record, output)

    def _with_output(self, record: Record, output: int) -> tuple[Record, Array | None]:
        if record["status"] == "failed":
            return record, None
        if self._records is None:
            array: Array = record["outputs"][output]
            return record, array
        return record, saved(record, output)


def run_batch(
    model: str | Path,
    inputs: str | Sequence[str],
    folder: str | Path | None = None,
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
    classes: Sequence[str] = (),
    workers: Way | None = None,
) -> Batch:
    """Prepare to run a model on the files of folders, patterns and names, and write the outputs into a folder.

    Iterate over the result to run it. Without a folder, records have the ``outputs`` as arrays, and nothing is written.
    ``batch_size`` inputs are joined along their first axis; with ``steps``, the files of a folder are a sequence in one
    request. ``shapes`` are those of inputs, by name or as texts such as ``image[1,3,?,224]``. ``records`` is the file
    of records, .jsonl or .parquet; what it calls done is not run again. ``preparation`` is the way from images to
    inputs, ``top`` the number of likeliest classes in a record, whose names are ``classes``. ``workers`` divides the
    work (`irrun.jobs.way`), by default over the processors. An input that fails has a record that says so.
    RequestError where files, options and model do not fit together.

    >>> for record in run_batch("model.xml", "inputs/", "outputs/"):
    ...     print(record["input"], record["status"])
    """
    model, folder = Path(model), None if folder is None else Path(folder)
    patterns = [inputs] if isinstance(inputs, str) else inputs
    if folder is not None:
        refuse_standard_output(folder)
        if folder.suffix in (".npy", ".npz") or (folder.exists() and not folder.is_dir()):
            raise RequestError(f"{folder} is a file, expected a folder for the outputs of many inputs")
    items = items_of(patterns, folder)
    beside = weights or model.with_suffix(".bin")
    if folder is None and records is not None:
        raise RequestError(f"--records {records}: records are those of a folder of outputs, expected one")
    lines, table = (None, None) if folder is None else _record_files(records, folder / RECORDS)
    read = [model, beside, *map(Path, extensions), *(Path(item.path) for item in items)]
    refuse_inputs([path for path in (lines, table) if path is not None], read)
    loaded = load(model, weights, extensions=extensions)
    texts = shapes if isinstance(shapes, Sequence) else [f"{name}{shape}" for name, shape in shapes.items()]
    loaded, sizes = reshape(loaded, texts)
    is_fixed = batch_size > 1 and check_batches(loaded, batch_size)
    _check_single(loaded, items)
    has_images = len(loaded.inputs) == 1 and any(Path(item.path).suffix.lower() in IMAGES for item in items)
    if has_images:
        preparation = prepared(preparation, loaded, loaded.inputs[0], batch_size)
    if classes:
        _check_classes(loaded, classes)
    spread_over = workers if workers is not None else way(1, None, None)
    settings = {**(config or {}), "INFERENCE_NUM_THREADS": spread_over.threads}
    travels = spread_over.scheduler is not None
    inference = Inference(model, weights, settings, shapes=sizes, extensions=extensions, travels=travels)
    work = BatchWork(
        inference,
        folder=folder,
        preparation=preparation,
        stateful=steps,
        fill=batch_size if is_fixed else None,
        top=top,
        classes=classes,
    )
    batch = Batch(loaded, items, groups(items, batch_size, stateful=steps), work, spread_over)
    batch.skipped = skipped(patterns, folder)
    batch.images = described(preparation, loaded, loaded.inputs[0]) if has_images else None
    if lines is not None:
        files = [
            (stat.st_size, stat.st_mtime_ns) for stat in (path.stat() for path in (model, beside) if path.exists())
        ]
        named = tuple(f"{loaded.input(place).any_name}{shape}" for place, shape in sizes.items())
        shown = () if top is None else (top, *classes)
        numerics = [settings.get(name) for name in _NUMERICS]
        identity = repr((model.name, files, named, preparation, steps, numerics, *shown))
        batch.keep(Records(lines, hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()[:16]), table)
    return batch


def groups(items: Sequence[BatchItem], size: int, *, stateful: bool) -> list[Group]:
    """Divide items into batches of a size, or into sequences: the files of one folder each."""
    if not stateful:
        return [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    folders: dict[Path, list[BatchItem]] = {}
    for item in items:
        folders.setdefault(Path(item.path).parent, []).append(item)
    return [tuple(found) for found in folders.values()]


def check_batches(model: Loaded, size: int) -> bool:
    """Return whether the model is fixed to this number of inputs, which are joined along their first axis.

    RequestError where they cannot be joined, or outputs divided.
    """
    first = [port.partial_shape.dims[0] if port.partial_shape.dims else None for port in model.inputs]
    for port, dim in zip(model.inputs, first, strict=True):
        if dim is None or (dim.is_static and dim.lo != size):
            shape = f"{port.element_type}{port.partial_shape}"
            what = f'--batch-size: input "{port.any_name}" is {shape}, expected a dynamic first dim or {size}'
            text = with_batch(model, None)
            raise RequestError(f"{what}{f'; {text} makes it so' if text else ''}")
    for port in model.outputs:
        if not port.partial_shape.dims or port.partial_shape.dims[0] != first[0]:
            shape = f"{port.element_type}{port.partial_shape}"
            raise RequestError(
                f'--batch-size: output "{port.any_name}" is {shape}, whose first dim is not that of the inputs'
            )
    return any(dim is not None and dim.is_static for dim in first)


def _check_single(model: Loaded, items: Sequence[BatchItem]) -> None:
    """Raise RequestError where no file can be the input of a model, whatever it holds."""
    single = [Path(item.path) for item in items if Path(item.path).suffix.lower() in (*IMAGES, reading.RAW)]
    if len(model.inputs) != 1 and len(single) == len(items):
        raise RequestError(reading.of_several(single[0], model.inputs))
    raw = next((path for path in single if path.suffix.lower() == reading.RAW), None)
    if raw is not None and len(model.inputs) == 1:
        reading.check_raw(raw, model.inputs[0])


def _check_classes(model: Loaded, classes: Sequence[str]) -> None:
    """Raise RequestError where no output has as many classes as there are names."""
    lasts = [port.partial_shape.dims[-1] if port.partial_shape.dims else None for port in model.outputs]
    if not any(dim is None or dim.admits(len(classes)) for dim in lasts):
        sizes = " or ".join(dict.fromkeys(str(dim) for dim in lasts))
        raise RequestError(f"--classes has {len(classes)} names, expected {sizes}, one for each score of the output")


def results(work: BatchWork, todo: Sequence[Group], workers: Way) -> Iterator[tuple[int, Record]]:
    """Yield the number of the group and the record of each input as soon as it is there."""
    try:
        for index, records in spread(work, todo, workers.jobs, workers.scheduler, workers.requests):
            if isinstance(records, Lost):
                records = [{"input": item.path, "status": "failed", "error": records.reason} for item in todo[index]]
            for record in records:
                host = record.pop("unseen", None)
                if host is not None and Path(record["input"]).exists():
                    raise RequestError(f"{record['error']}; {elsewhere(host)}")
                yield index, record
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
