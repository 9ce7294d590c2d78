"""Inputs for commands that run a model: values from files, random values, and shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import numpy as np

from irrun.cli import arrays, assignments, values
from irrun.cli.batch.options import Preparation
from irrun.cli.console import note
from irrun.cli.failures import Failure
from irrun.cli.images import IMAGES, read_image
from irrun.cli.options import together
from irrun.diagnostics import IRError, listing
from irrun.document.files import content
from irrun.model import InputError, Loaded, Outputs, Port, Session
from irrun.model.arguments import as_carrier
from irrun.runtime.soundness import sound
from irrun.tensor import Array, Shape

RAW: Final = ".bin"
"""The suffix of files that hold elements without a header."""

_TO_CHANNELS: Final = {3: ((2, 0, 1), (1, 2, 0)), 4: ((0, 3, 1, 2), (0, 2, 3, 1))}
"""Permutations between layouts with the channels first and last, by rank."""

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class Value(NamedTuple):
    """The value of an input; ``file`` is None where it is random."""

    port: Port
    array: Array
    file: Path | None = None

    def as_dict(self) -> dict[str, Any]:
        source = "random" if self.file is None else str(self.file)
        return {
            "name": self.port.any_name,
            "type": str(self.port.element_type),
            "shape": list(self.array.shape),
            "source": source,
        }


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


def from_files(
    texts: Sequence[str],
    ports: Sequence[Port],
    folder: Path = Path(),
    budget: int | None = None,
    *,
    preparation: Preparation = Preparation(),  # noqa: B008
    model: Loaded | None = None,
) -> list[Value]:
    """Load the values named by ``[NAME=]FILE`` texts, in the order of the inputs; Failure where one fits no input.

    ``folder`` is the one that relative paths begin at, ``budget`` the bytes that compressed arrays of a file may take,
    ``preparation`` the way from an image to an input. With the ``model``, a shape that it can take is suggested.
    """
    given: dict[int, Value] = {}
    for text in texts:
        port, name = assignments.split_input(text, ports)
        path = folder / name
        for target, array in _read(port, path, ports, budget, preparation):
            if target.index in given:
                raise Failure(f'input "{target.any_name}" is given twice')
            given[target.index] = Value(target, array, path)
    found = [given[index] for index in sorted(given)]
    for value in found:
        _check(value, found, model)
    return found


def _read(
    port: Port | None, path: Path, ports: Sequence[Port], budget: int | None, preparation: Preparation
) -> list[tuple[Port, Array]]:
    suffix = path.suffix.lower()
    if suffix not in IMAGES and suffix != RAW:
        return _targets(port, path, arrays.load(path, budget), ports)
    if port is None and len(ports) != 1:
        raise Failure(
            f"{path} is one value, and the model has {len(ports)} inputs; give -i NAME={path.name}, or an .npz file"
        )
    target = ports[0] if port is None else port
    return [(target, read_image(path, target, preparation) if suffix in IMAGES else _raw(path, target))]


def _raw(path: Path, port: Port) -> Array:
    """Return the elements of a file without a header, in the type and the shape of an input."""
    if not port.partial_shape.is_static:
        shape = port.partial_shape
        raise Failure(f'{path} has no shape, and input "{port.any_name}" is {shape}; --shape gives it one')
    kind, sizes = port.element_type.external, port.partial_shape.static
    expected = math.prod(sizes) * kind.itemsize
    length = path.stat().st_size
    if length != expected:
        raise Failure(f"{path} has {length} bytes, expected {expected} for {port.element_type}{port.partial_shape}")
    return np.frombuffer(content(path, expected), kind).reshape(sizes)


def rows(texts: Sequence[str], ports: Sequence[Port], budget: int | None = None) -> dict[int, Array]:
    """Return arrays of many rows by the index of their input; Failure where their lengths differ, or one is missing."""
    found: dict[int, Array] = {}
    for text in texts:
        port, path = assignments.split_input(text, ports)
        for target, array in _targets(port, path, arrays.load(path, budget), ports):
            if array.ndim == 0:
                raise Failure(f'{path}: input "{target.any_name}" is a scalar, expected rows')
            found[target.index] = array
    counts = {len(array) for array in found.values()}
    if len(counts) != 1:
        raise Failure(f"the inputs have {listing(sorted(counts), 'and')} rows, expected as many in each")
    lost = [port for port in ports if port.index not in found]
    if lost:
        raise Failure(f"no value for input {assignments.listed(lost)}")
    return found


def completed(given: Sequence[Value], ports: Sequence[Port], seed: int) -> list[Value]:
    """Return a value for each input, in order: the given ones, and random ones for the rest.

    Each is a contiguous array of the input's element type, so that a run converts nothing.
    """
    by_index = {value.port.index: value for value in given}
    return [_plain(by_index.get(port.index) or _random(port, seed)) for port in ports]


def _random(port: Port, seed: int) -> Value:
    from irrun.model.random_inputs import random_input

    return Value(port, random_input(port, seed))


def missing(given: Sequence[Value], ports: Sequence[Port]) -> list[Port]:
    """Return the inputs without a value."""
    known = {value.port.index for value in given}
    return [port for port in ports if port.index not in known]


def text(value: Mapping[str, Any]) -> str:
    """Format the result of ``Value.as_dict`` as one line."""
    shape = ",".join(map(str, value["shape"]))
    source = value["source"] if value["source"] == "random" else f"from {value['source']}"
    return f"{values.printable(value['name'])}  {value['type']}[{shape}], {source}"


def by_index(given: Iterable[Value]) -> dict[int, Array]:
    """Return the arrays by the index of their input."""
    return {value.port.index: value.array for value in given}


def by_place(shapes: Mapping[Port, Shape]) -> dict[int, Shape]:
    """Return shapes by the index of their input."""
    return {port.index: shape for port, shape in shapes.items()}


@contextmanager
def told(given: Sequence[Value], path: Path) -> Iterator[None]:
    """Name the file in the failure of a run, and the sizes that were assumed."""
    try:
        yield
    except IRError as error:
        _say_sizes([value.port for value in given if value.file is None])
        raise IRError(error.diagnostics, error.filename or str(path)) from None


def runner(session: Session, given: Sequence[Value], path: Path) -> Callable[[], Outputs]:
    """Return a function that runs a model on its inputs; a failure names the file and the assumed sizes."""
    arrays = by_index(given)

    def run() -> Outputs:
        with told(given, path):
            return session.run(arrays)

    return run


def _say_sizes(random: Sequence[Port]) -> None:
    dynamic = [port.any_name for port in random if not port.partial_shape.is_static]
    if dynamic:
        what = "random inputs have the smallest size that a dynamic dim allows"
        note(f"{what}; --shape '{dynamic[0]}[...]' gives other sizes")


def _plain(value: Value) -> Value:
    wanted = value.port.element_type
    if not wanted.is_known or wanted.kind == "string":
        return value
    with np.errstate(all="ignore"):
        return Value(value.port, value.array.astype(wanted.external, order="C", copy=False), value.file)


def _targets(
    port: Port | None, path: Path, loaded: Array | Mapping[str, Array], ports: Sequence[Port]
) -> list[tuple[Port, Array]]:
    if port is not None:
        return [(port, arrays.only(loaded, path))]
    if isinstance(loaded, Mapping):
        by_name = {name: item for item in ports for name in item.all_names if name}
        unknown = [name for name in loaded if name not in by_name]
        if unknown:
            raise Failure(f"{path}: {assignments.unknown_input(unknown[0], ports)}")
        return [(by_name[name], array) for name, array in loaded.items()]
    if len(ports) != 1:
        raise Failure(f"-i {path} names no input; the model has {assignments.listed(ports)}")
    return [(ports[0], loaded)]


def _check(value: Value, others: Sequence[Value], model: Loaded | None) -> None:
    """Raise Failure where an array does not fit its input, with a suggestion that helps where there is one."""
    try:
        as_carrier(value.port, value.array)
    except InputError as error:
        raise Failure(f"{error}{_suggestion(value, others, model)}") from None


def _suggestion(value: Value, others: Sequence[Value], model: Loaded | None) -> str:
    if not _has_other_sizes(value):
        return ""
    array = value.array
    for axes in _TO_CHANNELS.get(array.ndim, ()):
        if value.port.partial_shape.admits(tuple(array.shape[axis] for axis in axes)):
            return f"; array.transpose({', '.join(map(str, axes))}) moves the channels to where the input has them"
    for misfits in ([value], [other for other in others if _has_other_sizes(other)]):
        if model is not None and _takes(model, {item.port.any_name: Shape(item.array.shape) for item in misfits}):
            texts = [f"--shape '{item.port.any_name}{values.shape_text(item.array)}'" for item in misfits]
            return f"; {' '.join(texts)} reshapes the model"
    return ""


def _has_other_sizes(value: Value) -> bool:
    """Return whether an array has the rank of its input, but not its sizes."""
    shape = value.port.partial_shape
    return shape.rank == value.array.ndim and not shape.admits(value.array.shape)


def _takes(model: Loaded, shapes: Mapping[str, Shape]) -> bool:
    """Return whether a model can be reshaped so."""
    try:
        reshaped = model.reshaped(shapes)
        sound(reshaped.bound.graph, reshaped.facts)
    except IRError:
        return False
    return True
