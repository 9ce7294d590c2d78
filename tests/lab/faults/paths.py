"""The paths on which irrun writes: a command, the files that it writes, and files that it must not change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from irrun import Core, save_model, serialize
from irrun.cli import app, main  # noqa: F401
from irrun.cli.commands import edit, graph, lint, profile, report, run  # noqa: F401
from irrun.document.writer import Writer
from irrun.linter.rule import rules
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.linter.models import NET

rules()
OLD: Final = b"an old file"
FIXED: Final = NET
FAULTY: Final = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
LOGS: Final = ("done/records.jsonl",)
"""Files that grow by a line at a time, instead of being replaced."""

COUNT: Final = 3000
LARGE: Final = (1 << 22) + 1000


@dataclass(frozen=True)
class WritePath:
    """``command`` runs in the folder; ``written`` are the names of its files, ``large`` says that it reads weights."""

    command: Callable[[], None]
    written: tuple[str, ...]
    large: bool = False


def irrun(*arguments: str) -> Callable[[], None]:
    def command() -> None:
        sys.argv[:] = ["irrun", *arguments]
        main()

    return command


def api(act: Callable[[], None]) -> Callable[[], None]:
    """Return a command that ends with status 2 where the Python API raises the documented error."""

    def command() -> None:
        try:
            act()
        except RuntimeError as error:
            sys.exit(str(error) and 2)

    return command


def save() -> None:
    save_model(Core().read_model("model.xml"), "saved.xml")


def serialize_apart() -> None:
    serialize(Core().read_model("model.xml"), "one.xml", "two.bin")


def edited(kind: str, *arguments: str) -> WritePath:
    return WritePath(irrun("edit", kind, "model.xml", *arguments, "-o", "edited.xml"), ("edited.xml", "edited.bin"))


RUN: Final = ("run", "model.xml", "--random", "-o")
PATHS: Final[Mapping[str, WritePath]] = {
    "npz": WritePath(irrun(*RUN, "out.npz"), ("out.npz",), large=True),
    "npy": WritePath(irrun(*RUN, "out.npy"), ("out.npy",), large=True),
    "folder": WritePath(irrun(*RUN, "outputs"), ("outputs/sum.npy",), large=True),
    "fix": WritePath(irrun("lint", "faulty.xml", "--fix"), ("faulty.xml",)),
    "report": WritePath(irrun("lint", "faulty.xml", "-o", "report.txt"), ("report.txt",)),
    "baseline": WritePath(irrun("lint", "faulty.xml", "--write-baseline", "base.json"), ("base.json",)),
    "trace": WritePath(irrun("profile", "model.xml", "--niter", "1", "--trace", "trace.json"), ("trace.json",)),
    "schema": WritePath(irrun("schema", "report", "-o", "report.json"), ("report.json",)),
    "batch": WritePath(
        irrun("run", "model.xml", "--batch", "in", "-o", "done"),
        ("done/a.npy", "done/b.npy", "done/records.jsonl"),
    ),
    "page": WritePath(irrun("report", "model.xml", "-o", "page.html"), ("page.html",)),
    "picture": WritePath(irrun("graph", "model.xml", "-o", "graph.svg"), ("graph.svg",)),
    "half": edited("convert", "--to", "f16"),
    "attribute": edited("set", "sum", "auto_broadcast=none"),
    "note": edited("info", "--set", "model_info/labels=cat dog"),
    "name": edited("rename", "--layer", "sum=total"),
    "mean": edited("preprocess", "--mean", "0.5"),
    "save_model": WritePath(api(save), ("saved.xml", "saved.bin"), large=True),
    "serialize": WritePath(api(serialize_apart), ("one.xml", "two.bin"), large=True),
}


def lay(folder: Path, path: WritePath, count: int = COUNT) -> None:
    """Write the inputs, and an old file in the place of each output."""
    write_model(folder / "model.xml", np.arange(count, dtype=np.float32))
    (folder / "irrun.toml").write_text("")
    (folder / "in").mkdir()
    for name in ("a", "b"):
        np.save(folder / "in" / f"{name}.npy", np.ones(count, np.float32))
    for name in path.written:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(OLD)
    (folder / "faulty.xml").write_text(FAULTY)


def write_model(path: Path, values: np.ndarray) -> None:
    """Write a model that adds values to its input."""
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([len(values)]))
    ir.result(
        ir.layer("Add", "opset1", [x, ir.constant(values, F32)], [Fact(F32, Shape([len(values)]))], name="sum")[0]
    )
    ir.save(path)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
