"""The comparison of one pair, here or in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from irrun.cli import arrays, inputs, saving
from irrun.cli.comparing.layers import compared, first_difference, layers_of, native_layers
from irrun.cli.comparing.pairs import Pair
from irrun.cli.failures import Failure, of_system
from irrun.cli.inputs import Value
from irrun.cli.measuring import Native
from irrun.diagnostics import IRError, OpError
from irrun.diagnostics.internal import InternalError
from irrun.kernels.threads import threads
from irrun.model import InputError, Loaded, Port, build, load
from irrun.tensor import Array, Shape

Record = dict[str, Any]
EQUAL, DIFFERENT, FAILED = "equal", "different", "failed"


class Comparison:
    """Compares pairs on inputs that are equal for all of them; returns a record of each."""

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        files: Sequence[str] = (),
        seed: int = 0,
        shapes: Sequence[str] = (),
        weights: Path | None = None,
        rtol: float,
        atol: float,
        extensions: Sequence[str] = (),
    ) -> None:
        self._config = dict(config)
        self._budget: int | None = self._config.get("MAX_MEMORY")
        self._files, self._seed, self._shapes = tuple(files), seed, tuple(shapes)
        self._weights = None if weights is None else weights.absolute()
        self._rtol, self._atol, self._extensions = rtol, atol, tuple(extensions)
        self._root = Path.cwd()

    def __call__(self, pair: Pair) -> Record:
        record: Record = {
            "name": pair.name,
            "model": str(pair.model),
            "other": "OpenVINO" if pair.other is None else str(pair.other),
        }
        try:
            if pair.problem:
                raise Failure(pair.problem)
            found = self._compared(self._here(pair))
        except Failure as error:
            return {**record, "status": FAILED, "error": error.message}
        except OSError as error:
            return {**record, "status": FAILED, "error": of_system(error)}
        except (InputError, IRError, OpError, InternalError, MemoryError) as error:
            return {**record, "status": FAILED, "error": str(error) or "not enough memory"}
        return {**record, **found}

    def _here(self, pair: Pair) -> Pair:
        """Return a pair as this worker finds it, which may have another working directory."""
        if Path.cwd() == self._root:
            return pair
        other = None if pair.other is None else self._root / pair.other
        return pair._replace(model=self._root / pair.model, other=other)

    def _compared(self, pair: Pair) -> Record:
        model, shapes = self._read(pair.model, self._weights)
        folder = Path() if Path.cwd() == self._root else self._root
        given = inputs.completed(
            inputs.from_files(self._files, model.inputs, folder, self._budget), model.inputs, self._seed
        )
        ours = self._run(model, given)
        other, handed = None, given
        if pair.other is None:
            native = Native(pair.model, self._weights, shapes, given, threads())
            theirs: list[Array | None] = list(native.outputs)
        elif pair.other.suffix in (".npy", ".npz") or pair.other.is_dir():
            theirs = _expected(pair.other, model.outputs, self._budget)
        else:
            other, _ = self._read(pair.other, None)
            handed = _handed(given, other.inputs, pair.other, self._seed)
            theirs = _in_order(model.outputs, other.outputs, self._run(other, handed))
        rows = zip_longest(model.outputs, ours, theirs)
        outputs = [self._output(port, array, counterpart) for port, array, counterpart in rows]
        differs = any(item["differs"] for item in outputs)
        record: Record = {"status": DIFFERENT if differs else EQUAL, "outputs": outputs}
        if not differs or (pair.other is not None and other is None):
            return record
        return {**record, **self._layers(pair, model, other, shapes, given, handed)}

    def _read(self, path: Path, weights: Path | None) -> tuple[Loaded, dict[Port, Shape]]:
        return inputs.reshape(load(path, weights, extensions=self._extensions), self._shapes)

    def _run(self, model: Loaded, given: Sequence[Value]) -> Sequence[Array]:
        return build(model, self._config)({value.port.index: value.array for value in given}).to_tuple()

    def _output(self, port: Port | None, array: Array | None, other: Array | None) -> Record:
        if port is None or array is None:
            return {"name": "", "differs": True, "problem": "an output that the first model does not have"}
        record = {"name": port.any_name, "type": str(port.element_type), "shape": list(array.shape)}
        if other is None:
            return {**record, "differs": True, "problem": "the other side does not have it"}
        if (array.dtype.kind in "UO") != (other.dtype.kind in "UO"):
            return {**record, "differs": True, "problem": "text on one side, numbers on the other"}
        return {**record, **compared(array, other, self._rtol, self._atol)}

    def _layers(
        self,
        pair: Pair,
        model: Loaded,
        other: Loaded | None,
        shapes: Mapping[Port, Shape],
        given: Sequence[Value],
        handed: Sequence[Value],
    ) -> Record:
        """Return the first layer that differs, and how many layers both sides have."""
        try:
            layers = layers_of(model, self._config, given)
            others = (
                native_layers(pair.model, self._weights, shapes, given)
                if other is None
                else layers_of(other, self._config, handed)
            )
        except (IRError, OpError, RuntimeError, MemoryError) as error:
            return {"layer": None, "layers": None, "reason": str(error).partition("\n")[0] or "not enough memory"}
        first = first_difference(layers, others, self._rtol, self._atol)
        return {"layer": first, "layers": len(set(layers) & set(others))}


def _handed(given: Sequence[Value], ports: Sequence[Port], path: Path, seed: int) -> list[Value]:
    """Return the values for the inputs of another model: those of the same name, otherwise of the same place."""
    found: list[Value] = []
    for port in ports:
        named = [value for value in given if _are_alike(port, value.port)]
        if not named and len(given) == len(ports):
            named = [given[port.index]]
        if not named:
            names = ", ".join(value.port.any_name for value in given) or "none"
            raise Failure(f'{path}: the first model has no input "{port.any_name}", its inputs are {names}')
        found.append(Value(port, named[0].array, named[0].file))
    return inputs.completed(found, ports, seed)


def _in_order(ports: Sequence[Port], others: Sequence[Port], found: Sequence[Array]) -> list[Array | None]:
    """Return the outputs of another model in the order of ``ports``: by name, by place where no name is the same."""
    matches = [next((other for other in others if _are_alike(port, other)), None) for port in ports]
    if not any(matches):
        return list(found)
    rest = [array for other, array in zip(others, found, strict=True) if other not in matches]
    return [None if other is None else found[other.index] for other in matches] + rest


def _are_alike(port: Port, other: Port) -> bool:
    """Return whether two ports have a tensor name in common; the name of the layer counts where one has no other."""
    if port.names and other.names:
        return not port.names.isdisjoint(other.names)
    return port.node_name == other.node_name


def _expected(path: Path, ports: Sequence[Port], budget: int | None) -> list[Array | None]:
    """Return the expected outputs: one array, or several by the names that `run -o` gives them, or by place.

    ``path`` is a file, or a folder of .npy files. Failure where a name is unknown.
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
            raise Failure(f'{path}: no output "{name}", expected {", ".join(port.any_name for port in ports)}')
        found[by_name[name]] = array
    return found
