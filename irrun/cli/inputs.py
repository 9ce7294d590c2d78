"""Inputs for commands that run a model: values from files, random values, and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import numpy as np

from irrun.cli import values
from irrun.cli.console import note, text_or_json, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.options import Decorator, as_record, count_option, together
from irrun.cli.writing import read_files
from irrun.diagnostics import IRError
from irrun.evaluation.files import reading
from irrun.evaluation.files.naming import reshape
from irrun.evaluation.files.reading import InputValue
from irrun.model import Loaded, Port, load
from irrun.tensor import Shape

if TYPE_CHECKING:
    from irrun.linter.given import Values


class File(click.Path):
    """A file that exists; of a folder in its place, the .xml file that may be meant is named."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.is_dir():
            models = sorted(path.glob("*.xml"))
            meant = f"; did you mean {models[0]}?" if len(models) == 1 else ", expected a file"
            self.fail(f"{value} is a folder{meant}", param, ctx)
        return super().convert(value, param, ctx)


FILE: Final = File(exists=True, dir_okay=False, path_type=Path)


class InputCommand(click.Command):
    """A command with the option ``--input``, which it suggests for files that are given without."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            what = "argument" if len(rest) == 1 else "arguments"
            raise click.UsageError(f"unexpected {what} {' '.join(rest)}{_meant(ctx, rest)}", ctx)
        return rest


def _meant(ctx: click.Context, rest: list[str]) -> str:
    """Return a question that gives files as inputs, and the one that is an .xml file as the model."""
    models = [text for text in rest if text.lower().endswith(".xml")]
    if not models:
        return f"; did you mean {_as_inputs(rest)}?"
    model = str(ctx.params.get("model"))
    if len(models) > 1 or model.lower().endswith(".xml"):
        return ""
    files = [model, *(text for text in rest if text not in models)]
    return f"; did you mean {ctx.command_path} {models[0]} {_as_inputs(files)}?"


def _as_inputs(files: list[str]) -> str:
    return " ".join(f"-i {file}" for file in files)


usual_options: Decorator = together(extension_option, text_or_json, verbosity)
"""The options of commands that read a model and show what they find: text or JSON, as ``output_format``."""

shape_option: Decorator = click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="[NAME][SHAPE]",
    help="Reshape an input, such as 'image[1,3,?,224]'; repeatable.",
)
weights_option: Decorator = click.option(
    "--weights", type=FILE, help="The weights file, if it is not beside the model."
)

options: Decorator = together(
    click.option("-i", "--input", "files", multiple=True, metavar="[NAME=]FILE", help="An input; repeatable."),
    count_option("--seed", least=0, default=0, help="The seed of random inputs."),
    shape_option,
    weights_option,
)
"""The options ``--input``, ``--seed``, ``--shape`` and ``--weights``."""


class InputOptions(NamedTuple):
    """The options ``--input``, ``--seed``, ``--shape`` and ``--weights`` as they are given."""

    files: tuple[str, ...]
    seed: int
    shapes: tuple[str, ...]
    weights: Path | None

    def load(self, path: Path) -> tuple[Loaded, dict[int, Shape]]:
        """Return a model with inputs of the given shapes, and those shapes by place."""
        return reshape(load(path, self.weights, extensions=extensions()), self.shapes)

    def values(self, model: Loaded, config: Mapping[str, Any]) -> list[InputValue]:
        """Return a value for each input: that of a file, or a random one."""
        found = reading.from_files(self.files, model.inputs, budget=config.get("MAX_MEMORY"), model=model)
        return reading.completed(found, model, self.seed)

    def read(self, path: Path) -> list[Path]:
        """Return the files that a command reads for a model."""
        return read_files(path, self.weights, self.files)


source_options: Decorator = as_record("source", InputOptions, options)
"""The same, as ``source``."""


def from_texts(model: Loaded, texts: Values, given: Sequence[InputValue]) -> list[InputValue]:
    """Return the values that ``PORT=1,2,3`` texts say, besides those that are given."""
    if not texts:
        return []
    from irrun.linter.given import UnknownPort, facts_of

    try:
        facts = facts_of(model.bound, texts)
    except UnknownPort as error:
        raise Failure(f"--value: {error}") from None
    known = {value.port.index for value in given}
    found = []
    for port, id in zip(model.inputs, model.graph.parameters, strict=True):
        if id in facts and port.index in known:
            raise Failure(f'input "{port.any_name}" is given twice')
        if id in facts:
            found.append(InputValue(port, np.asarray(facts[id].value), is_text=True))
    return found


def text(value: Mapping[str, Any]) -> str:
    """Format the result of ``InputValue.as_dict`` as one line."""
    shape = ",".join(map(str, value["shape"]))
    source = value["source"] if value["source"] == "random" else f"from {value['source']}"
    return f"{values.printable(value['name'])}  {value['type']}[{shape}], {source}"


@contextmanager
def told(given: Sequence[InputValue], path: Path) -> Iterator[None]:
    """Name the file in the failure of a run, and the sizes that were assumed."""
    try:
        yield
    except IRError as error:
        _say_sizes([value.port for value in given if value.is_random])
        raise IRError(error.diagnostics, error.filename or str(path)) from None


def _say_sizes(random: Sequence[Port]) -> None:
    dynamic = [port.any_name for port in random if not port.partial_shape.is_static]
    if dynamic:
        note(
            f"dynamic dims of random inputs have a size that was chosen; --shape '{dynamic[0]}[...]' gives another one"
        )
