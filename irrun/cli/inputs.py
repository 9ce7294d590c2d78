"""Inputs for commands that run a model: values from files, random values, and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from irrun.cli import assignments, values
from irrun.cli.console import note
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.options import together
from irrun.diagnostics import IRError
from irrun.evaluation.files import reading
from irrun.evaluation.files.reading import Value
from irrun.model import Loaded, Outputs, Port, Session, load
from irrun.tensor import Shape

if TYPE_CHECKING:
    from irrun.linter.given import Values

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


shape_option = click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="[NAME][SHAPE]",
    help="Reshape an input, such as 'image[1,3,?,224]'; repeatable.",
)
weights_option = click.option("--weights", type=FILE, help="The weights file, if it is not beside the model.")

options = together(
    click.option("-i", "--input", "files", multiple=True, metavar="[NAME=]FILE", help="An input; repeatable."),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="The seed of random inputs.",
    ),
    shape_option,
    weights_option,
)
"""The options ``--input``, ``--seed``, ``--shape`` and ``--weights``."""


def reshape(model: Loaded, texts: Sequence[str]) -> tuple[Loaded, dict[Port, Shape]]:
    """Return the model with inputs of the shapes that ``NAME[SHAPE]`` texts say, and those shapes."""
    given: dict[Port, Shape] = {}
    ports = model.inputs
    for text in texts:
        port, shape = assignments.split_shape(text, ports)
        if port in given:
            raise Failure(f'--shape {text}: input "{port.any_name}" is given a shape twice')
        given[port] = shape
    if given:
        model = model.reshaped({port.any_name: shape for port, shape in given.items()})
    return model, given


def from_texts(model: Loaded, texts: Values, given: Sequence[Value]) -> list[Value]:
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
            found.append(Value(port, np.asarray(facts[id].value), is_text=True))
    return found


def named_shapes(model: Path, weights: Path | None, texts: Sequence[str]) -> dict[str, Shape]:
    """Return the shapes that ``NAME[SHAPE]`` texts say, by the name of the input."""
    if not texts:
        return {}
    _, shapes = reshape(load(model, weights, extensions=extensions()), texts)
    return {port.any_name: shape for port, shape in shapes.items()}


def text(value: Mapping[str, Any]) -> str:
    """Format the result of ``Value.as_dict`` as one line."""
    shape = ",".join(map(str, value["shape"]))
    source = value["source"] if value["source"] == "random" else f"from {value['source']}"
    return f"{values.printable(value['name'])}  {value['type']}[{shape}], {source}"


@contextmanager
def told(given: Sequence[Value], path: Path) -> Iterator[None]:
    """Name the file in the failure of a run, and the sizes that were assumed."""
    try:
        yield
    except IRError as error:
        _say_sizes([value.port for value in given if value.is_random])
        raise IRError(error.diagnostics, error.filename or str(path)) from None


def runner(session: Session, given: Sequence[Value], path: Path) -> Callable[[], Outputs]:
    """Return a function that runs a model on its inputs; a failure names the file and the assumed sizes."""
    arrays = reading.by_index(given)

    def run() -> Outputs:
        with told(given, path):
            return session.run(arrays)

    return run


def _say_sizes(random: Sequence[Port]) -> None:
    dynamic = [port.any_name for port in random if not port.partial_shape.is_static]
    if dynamic:
        what = "random inputs have the smallest size that a dynamic dim allows"
        note(f"{what}; --shape '{dynamic[0]}[...]' gives other sizes")
