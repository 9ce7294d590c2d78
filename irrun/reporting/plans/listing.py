"""The parts of a program of compiled kernels, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from irrun.reporting.plans.lines import WIDTH, bytes_text, counted, line, solid, table

Size = int | str
"""A number, or the text of one that is known only when a run begins."""


class Operand(NamedTuple):
    """An array that an item reads or writes: its name, its type and shape, its bytes, and the argument it is.

    ``offset`` and ``room`` are its place in the arena, in bytes; None for other memory.
    """

    name: str
    type: str
    bytes: Size | None
    field: str = ""
    offset: int | None = None
    room: Size | None = None

    @property
    def text(self) -> str:
        return f"{f'{self.field}=' if self.field else ''}{self.name} {self.type}".rstrip()

    @property
    def place(self) -> str:
        if self.offset is None or self.room is None:
            return self.type
        return f"{self.type} @{self.offset} ({bytes_text(self.room)})"


class ItemListing(NamedTuple):
    """A call of a kernel, or a step that NumPy computes for a ``reason``.

    ``tasks`` is None for such a step, and is that of the run that was lowered if it depends on sizes: ``tasks_vary``.
    Packed weights are not among ``read_bytes``. ``functions`` are those of a chain, ``epilogue`` is what happens to
    sums before they are stored. ``may_bail_out`` says that the kernel leaves some values to NumPy.
    """

    number: int
    kernel: str
    reads: tuple[Operand, ...]
    writes: tuple[Operand, ...]
    tasks: int | None
    read_bytes: Size
    written_bytes: Size
    packed_bytes: int = 0
    reason: str = ""
    tasks_vary: bool = False
    functions: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = ()
    may_bail_out: bool = False


class StepListing(NamedTuple):
    """A step of the plan: the layers that it computes, its items, its outputs, and its algorithm if it chose one."""

    type: str
    layers: tuple[str, ...]
    items: tuple[ItemListing, ...]
    outputs: tuple[str, ...]
    algorithm: str = ""


class ProgramListing(NamedTuple):
    """The parts of a program. ``sizes`` tell where unknown ones are known from.

    ``stages`` are the items after which further sizes are known. The arena has ``arena_bytes``, at the sizes for which
    the plan was lowered.
    """

    level: str
    inputs: tuple[Operand, ...]
    results: tuple[str, ...]
    sizes: tuple[str, ...]
    guards: tuple[str, ...]
    preludes: tuple[tuple[StepListing, ...], ...]
    steps: tuple[StepListing, ...]
    stages: tuple[int, ...]
    tensors_of_sizes: Mapping[str, str]
    calls: Mapping[str, int]
    interpreted: Mapping[str, int]
    arena_bytes: int
    constant_bytes: int
    packed_bytes: int | None

    def text(self, width: int = WIDTH) -> str:
        return "\n".join(_lines(self, width))


def _lines(made: ProgramListing, width: int) -> list[str]:
    lines = [f"compiled kernels, {made.level}" if made.level else "compiled kernels", ""]
    lines += table("inputs", (f"{item.field} = {item.name} {item.place}" for item in made.inputs), width)
    lines += table("sizes", made.sizes, width)
    lines += table("guards", made.guards, width)
    lines += table("tensors of sizes", (f"{name} = {text}" for name, text in made.tensors_of_sizes.items()), width)
    for title, prelude in zip(("prelude", "prelude, with sizes"), made.preludes, strict=True):
        lines += [title, *(each for step in prelude for each in _step(step, width)), ""] if prelude else []
    lines.append("steps")
    for step in made.steps:
        lines += _step(step, width)
        if any(item.number + 1 in made.stages for item in step.items):
            lines.append("  -- the sizes of its results are known --")
    lines += ["", *table("results", made.results, width), *_summary(made, width)]
    return lines


def _step(step: StepListing, width: int) -> list[str]:
    head = f"{step.type}{f' ({step.algorithm})' if step.algorithm else ''}: {', '.join(step.layers)}"
    if not step.items:
        return line(f"{head} -> {', '.join(step.outputs)}", width, 2)
    return [*line(head, width, 2), *(each for item in step.items for each in _item(item, width))]


def _item(item: ItemListing, width: int) -> list[str]:
    number = f"{item.number:>3}  " if item.number >= 0 else " " * 5
    names = ", ".join(operand.name for operand in item.writes)
    functions = f" {' '.join(item.functions)}" if item.functions else ""
    call = f"{item.kernel}{functions}({', '.join(solid(operand.text) for operand in item.reads)})"
    facts = [", ".join(solid(operand.place) for operand in item.writes)] if item.writes else []
    if item.epilogue:
        facts.append(f"epilogue {', '.join(map(solid, item.epilogue))}")
    if item.tasks is not None:
        facts.append(("~" if item.tasks_vary else "") + counted(item.tasks, "task"))
    if item.reason:
        facts.append(item.reason)
    weights = f" and {bytes_text(item.packed_bytes)} packed" if item.packed_bytes else ""
    facts.append(solid(f"reads {bytes_text(item.read_bytes)}{weights},"))
    facts[-1] += f" {solid(f'writes {bytes_text(item.written_bytes)}')}"
    if item.may_bail_out:
        facts.append("may bail out")
    indent = 3 + len(number)
    first = line(f"{names} = {call}" if names else call, width, indent, indent + 4)
    first[0] = f"{' ' * 3}{number}{first[0].lstrip()}"
    return [*first, *line("; ".join(facts), width, indent + 2)]


def _summary(made: ProgramListing, width: int) -> list[str]:
    total = sum(made.calls.values())
    kernels = ", ".join(f"{count:,} {name}" for name, count in made.calls.items())
    steps = sum(made.interpreted.values())
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in made.interpreted.items())
    packed = "" if made.packed_bytes is None else f", packed weights {bytes_text(made.packed_bytes)}"
    rows = [
        f"{counted(total, 'call')}: {kernels}" if kernels else "no call",
        f"{counted(steps, 'step')} on NumPy: {reasons}" if steps else "no step on NumPy",
        f"arena {bytes_text(made.arena_bytes)}",
        f"constants {bytes_text(made.constant_bytes)}{packed}",
    ]
    return ["summary", *(each for row in rows for each in line(row, width, 2))]
