"""The inputs of a model from files, and random ones."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

import numpy as np

from irrun.diagnostics import listing
from irrun.diagnostics.requests import RequestError
from irrun.diagnostics.sizes import bytes_text
from irrun.document.files import content
from irrun.evaluation.files import arrays, naming
from irrun.evaluation.files.images import IMAGES, read_image
from irrun.evaluation.files.preparing import Preparation, prepared
from irrun.model import InputError, Loaded, Port
from irrun.model.arguments import as_carrier
from irrun.runtime.budget import default_memory
from irrun.tensor import Array, Shape

STANDARD_INPUT: Final = "-"

RAW: Final = ".bin"
"""The suffix of files that hold elements without a header."""

_TO_CHANNELS: Final = {3: ((2, 0, 1), (1, 2, 0)), 4: ((0, 3, 1, 2), (0, 2, 3, 1))}
"""Permutations between layouts with the channels first and last, by rank."""


class InputRecord(TypedDict):
    """An input; ``source`` is a file, ``random`` or ``--value``."""

    name: str
    type: str
    shape: list[int]
    source: str


class InputValue(NamedTuple):
    """The value of an input: from a ``file``, a text of the command line, or random."""

    port: Port
    array: Array
    file: Path | None = None
    is_text: bool = False

    @property
    def is_random(self) -> bool:
        return self.file is None and not self.is_text

    def as_dict(self) -> InputRecord:
        source = "random" if self.is_random else "--value" if self.file is None else str(self.file)
        return {
            "name": self.port.any_name,
            "type": str(self.port.element_type),
            "shape": list(self.array.shape),
            "source": source,
        }


def from_files(
    texts: Sequence[str],
    ports: Sequence[Port],
    folder: Path = Path(),
    budget: int | None = None,
    *,
    preparation: Preparation = Preparation(),  # noqa: B008
    model: Loaded | None = None,
) -> list[InputValue]:
    """Load the values named by ``[NAME=]FILE`` texts, in the order of the inputs.

    RequestError where one fits no input.

    ``folder`` is the one that relative paths begin at, ``budget`` the bytes that compressed arrays of a file may take,
    ``preparation`` the way from an image to an input. With the ``model``, a shape that it can take is suggested.
    """
    given: dict[int, InputValue] = {}
    for text in texts:
        port, name = naming.split_input(text, ports)
        path = name if str(name) == STANDARD_INPUT else folder / name
        for target, array in _read(port, path, ports, budget, preparation, model):
            if target.index in given:
                raise RequestError(f'input "{target.any_name}" is given twice')
            given[target.index] = InputValue(target, array, path)
    found = [given[index] for index in sorted(given)]
    for value in found:
        _check(value, found, model)
    return found


def _read(
    port: Port | None,
    path: Path,
    ports: Sequence[Port],
    budget: int | None,
    how: Preparation,
    model: Loaded | None,
) -> list[tuple[Port, Array]]:
    suffix = path.suffix.lower()
    given = standard_input(budget) if str(path) == STANDARD_INPUT else None
    is_array = suffix not in IMAGES and suffix != RAW
    if is_array and (given is None or arrays.is_numpy(given.getvalue()[: len(arrays.MAGIC)])):
        return _targets(port, path, arrays.load(path, budget, given), ports)
    if port is None and len(ports) != 1:
        raise RequestError(
            f"{path} is one value, and the model has {len(ports)} inputs; give -i NAME={path.name}, or an .npz file"
        )
    target = ports[0] if port is None else port
    if suffix == RAW:
        return [(target, _raw(path, target))]
    return [(target, read_image(path, target, how if model is None else prepared(how, model, target), given))]


def standard_input(budget: int | None) -> BytesIO:
    """Return what the standard input holds; RequestError where it is empty, was read before, or has more bytes."""
    most = default_memory() if budget is None else budget
    data = sys.stdin.buffer.read(-1 if most is None else most + 1)
    if not data or (most is not None and len(data) > most):
        what = f"has more than {bytes_text(len(data) - 1)}" if data else "is empty, or was read before"
        raise RequestError(f"{STANDARD_INPUT}: the standard input {what}, expected one array or image")
    return BytesIO(data)


def of_several(path: Path, ports: Sequence[Port]) -> str:
    """Return the message for a file with one value where a model has several inputs."""
    return f"{path} is one value, and the model has {len(ports)} inputs; give an .npz file"


def check_raw(path: Path, port: Port) -> None:
    """Raise RequestError where an input does not give a shape to elements without a header."""
    if not port.partial_shape.is_static:
        shape = port.partial_shape
        raise RequestError(f'{path} has no shape, and input "{port.any_name}" is {shape}; --shape gives it one')


def _raw(path: Path, port: Port) -> Array:
    """Return the elements of a file without a header, in the type and the shape of an input."""
    check_raw(path, port)
    kind, sizes = port.element_type.external, port.partial_shape.static
    expected = math.prod(sizes) * kind.itemsize
    length = path.stat().st_size
    if length != expected:
        raise RequestError(
            f"{path} has {length} bytes, expected {expected} for {port.element_type}{port.partial_shape}"
        )
    return np.frombuffer(content(path, expected), kind).reshape(sizes)


def rows(texts: Sequence[str], ports: Sequence[Port], budget: int | None = None) -> dict[int, Array]:
    """Return arrays of many rows by the index of their input, as many of each; RequestError otherwise."""
    found: dict[int, Array] = {}
    for text in texts:
        port, path = naming.split_input(text, ports)
        for target, array in _targets(port, path, arrays.load(path, budget), ports):
            if array.ndim == 0:
                raise RequestError(f'{path}: input "{target.any_name}" is a scalar, expected rows')
            found[target.index] = array
    counts = {len(array) for array in found.values()}
    if len(counts) != 1:
        raise RequestError(f"the inputs have {listing(sorted(counts), 'and')} rows, expected as many in each")
    lost = [port for port in ports if port.index not in found]
    if lost:
        raise RequestError(f"no value for input {naming.listed(lost)}")
    return found


def completed(given: Sequence[InputValue], model: Loaded, seed: int) -> list[InputValue]:
    """Return a value for each input, in order: the given ones, and random ones for the rest.

    Each is a contiguous array of the input's element type, so that a run converts nothing. Dynamic dims of random
    values have sizes that fit the model and the given values, where such sizes are found (`fitting_sizes`).
    """
    known = by_index(given)
    lost = missing(given, model.inputs)
    made = _random(lost, model, {index: array.shape for index, array in known.items()}, seed) if lost else []
    values = {value.port.index: value for value in (*given, *made)}
    return [_plain(values[port.index]) for port in model.inputs]


def _random(ports: Sequence[Port], model: Loaded, known: Mapping[int, tuple[int, ...]], seed: int) -> list[InputValue]:
    from irrun.model.random_inputs import random_input
    from irrun.model.sizes import fitting_sizes

    is_open = any(not port.partial_shape.is_static for port in ports)
    sizes = fitting_sizes(model.graph, model.facts, model.weights, known) if is_open else None
    return [InputValue(port, random_input(port, seed, None if sizes is None else sizes[port.index])) for port in ports]


def missing(given: Sequence[InputValue], ports: Sequence[Port]) -> list[Port]:
    """Return the inputs without a value."""
    known = {value.port.index for value in given}
    return [port for port in ports if port.index not in known]


def by_index(given: Iterable[InputValue]) -> dict[int, Array]:
    """Return the arrays by the index of their input."""
    return {value.port.index: value.array for value in given}


def _plain(value: InputValue) -> InputValue:
    wanted = value.port.element_type
    if not wanted.is_known or wanted.kind == "string":
        return value
    with np.errstate(all="ignore"):
        return value._replace(array=value.array.astype(wanted.external, order="C", copy=False))


def _targets(
    port: Port | None, path: Path, loaded: Array | Mapping[str, Array], ports: Sequence[Port]
) -> list[tuple[Port, Array]]:
    if port is not None:
        return [(port, arrays.only(loaded, path))]
    if isinstance(loaded, Mapping):
        by_name = {name: item for item in ports for name in item.all_names if name}
        unknown = [name for name in loaded if name not in by_name]
        if unknown:
            raise RequestError(f"{path}: {naming.unknown_input(unknown[0], ports)}")
        return [(by_name[name], array) for name, array in loaded.items()]
    if len(ports) != 1:
        raise RequestError(f"-i {path} names no input; the model has {naming.listed(ports)}")
    return [(ports[0], loaded)]


def _check(value: InputValue, others: Sequence[InputValue], model: Loaded | None) -> None:
    """Raise RequestError where an array does not fit its input, with a suggestion that helps where there is one."""
    try:
        as_carrier(value.port, value.array)
    except InputError as error:
        raise RequestError(f"{error}{_suggestion(value, others, model)}") from None


def _suggestion(value: InputValue, others: Sequence[InputValue], model: Loaded | None) -> str:
    if not _has_other_sizes(value):
        return ""
    array = value.array
    for axes in _TO_CHANNELS.get(array.ndim, ()):
        if value.port.partial_shape.admits(tuple(array.shape[axis] for axis in axes)):
            return f"; array.transpose({', '.join(map(str, axes))}) moves the channels to where the input has them"
    for misfits in ([value], [other for other in others if _has_other_sizes(other)]):
        if model is not None and naming.takes(model, {item.port.any_name: Shape(item.array.shape) for item in misfits}):
            texts = [f"--shape '{item.port.any_name}[{','.join(map(str, item.array.shape))}]'" for item in misfits]
            return f"; {' '.join(texts)} reshapes the model"
    return ""


def _has_other_sizes(value: InputValue) -> bool:
    """Return whether an array has the rank of its input, but not its sizes."""
    shape = value.port.partial_shape
    return shape.rank == value.array.ndim and not shape.admits(value.array.shape)
