"""The driver: what is left to do, who does it, and a record of each input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from irrun.cli import values
from irrun.cli.batch.items import Item
from irrun.cli.batch.records import Records
from irrun.cli.batch.work import Group, Inference, Record
from irrun.cli.console import fail, level, note, result
from irrun.cli.failures import Failure
from irrun.cli.jobs import Way
from irrun.cli.progress import watched
from irrun.jobs import Lost, spread
from irrun.jobs.cluster import ClusterError
from irrun.model import Loaded


def groups(items: Sequence[Item], size: int, *, stateful: bool) -> list[Group]:
    """Divide items into batches of a size, or into sequences: the files of one folder each."""
    if not stateful:
        return [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    folders: dict[Path, list[Item]] = {}
    for item in items:
        folders.setdefault(Path(item.path).parent, []).append(item)
    return [tuple(found) for found in folders.values()]


def check_batches(model: Loaded) -> None:
    """Raise Failure where the inputs of a model cannot be joined along their first axis, and its outputs divided."""
    first = [port.partial_shape.dims[0] if port.partial_shape.dims else None for port in model.inputs]
    for port, dim in zip(model.inputs, first, strict=True):
        if dim is None or dim.is_static:
            shape = f"{port.element_type}{port.partial_shape}"
            what = f'--batch-size: input "{port.any_name}" is {shape}, expected a dynamic first dim'
            raise Failure(f"{what}; --shape '{port.any_name}[?,...]' makes it so")
    for port in model.outputs:
        if not port.partial_shape.dims or port.partial_shape.dims[0] != first[0]:
            shape = f"{port.element_type}{port.partial_shape}"
            raise Failure(
                f'--batch-size: output "{port.any_name}" is {shape}, whose first dim is not that of the inputs'
            )


def results(work: Inference, todo: Sequence[Group], way: Way) -> Iterator[tuple[int, Record]]:
    """Yield the number of the group and the record of each input as soon as it is there, with progress on stderr."""
    found = spread(work, todo, way.jobs, way.scheduler, way.requests)
    try:
        total = sum(map(len, todo))
        shown = watched(found, total, sys.stderr, unit="inputs", count=lambda item: len(todo[item[0]]))
        for index, records in shown if level() >= 0 else found:
            if isinstance(records, Lost):
                yield from (
                    (index, {"input": item.path, "status": "failed", "error": records.reason}) for item in todo[index]
                )
            else:
                yield from ((index, record) for record in records)
    except ClusterError as error:
        raise Failure(str(error)) from None


def run(
    work: Inference, todo: Sequence[Group], records: Records, way: Way, *, show: bool = False
) -> tuple[int, int, int]:
    """Run what is left of ``todo``; return how many inputs are done now, were done before, and have failed.

    With ``show``, print the likeliest classes of each input where its record has them.
    """
    done = records.done()
    left = [group for group in todo if not all(done.get(item.path) == item.stamp for item in group)]
    count = sum(map(len, left))
    before = sum(map(len, todo)) - count
    if before:
        rest = f"{count} {'is' if count == 1 else 'are'} left" if count else "nothing is left to do"
        note(f"{before} {'input is' if before == 1 else 'inputs are'} done, as {records.path} says; {rest}")
    failed = 0
    with records.writing() as add:
        for _, record in results(work, left, way):
            add(record)
            if record["status"] == "failed":
                failed += 1
                fail(problem(record))
            for line in values.top_lines(record.get("top", ())) if show else ():
                result(f"{values.printable(record['input'])}: {line}")
    return count - failed, before, failed


def problem(record: Record) -> str:
    """Return the error of a failed input, which names the input."""
    return record["error"] if record["input"] in record["error"] else f"{record['input']}: {record['error']}"
