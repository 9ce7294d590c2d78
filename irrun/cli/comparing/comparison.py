"""The comparison of one pair, here or in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from irrun.cli import arrays, inputs, saving
from irrun.cli.comparing.pairs import Pair
from irrun.cli.failures import Failure, of_system
from irrun.cli.inputs import Value
from irrun.cli.measuring import Native
from irrun.cli.values import shape_text
from irrun.debugging.differences import changed_rows
from irrun.debugging.faults import DebugError
from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance, compare_layers
from irrun.debugging.metrics import errors
from irrun.debugging.sides import ModelSide, Side
from irrun.diagnostics import IRError, OpError
from irrun.diagnostics.internal import InternalError
from irrun.kernels.threads import threads
from irrun.model import InputError, Loaded, Port, build, load
from irrun.tensor import Array, Shape

Record = dict[str, Any]
OPENVINO = "OpenVINO"
ONNX = ".onnx"
CLEAR = 3
"""The ratio of errors from which on the optimisation of one side is at fault."""

METRICS = ("max", "mean", "median", "rms", "relative", "cosine", "psnr", "snr", "ulp")
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
        tolerance: Tolerance,
        every: bool = False,
        fail_fast: bool = False,
        extensions: Sequence[str] = (),
    ) -> None:
        self._config = dict(config)
        self._budget: int | None = self._config.get("MAX_MEMORY")
        self._files, self._seed, self._shapes = tuple(files), seed, tuple(shapes)
        self._weights = None if weights is None else weights.absolute()
        self._tolerance, self._every, self._fail_fast = tolerance, every, fail_fast
        self._extensions = tuple(extensions)
        self._root = Path.cwd()

    def __call__(self, pair: Pair) -> Record:
        record: Record = {
            "name": pair.name,
            "model": str(pair.model),
            "other": OPENVINO if pair.other is None else str(pair.other),
        }
        try:
            if pair.problem:
                raise Failure(pair.problem)
            found = self._compared(self._here(pair))
        except Failure as error:
            return {**record, "status": FAILED, "error": error.message}
        except OSError as error:
            return {**record, "status": FAILED, "error": of_system(error)}
        except (DebugError, InputError, IRError, OpError, InternalError, MemoryError) as error:
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
        side = self._side(pair, shapes, given)
        rows = zip_longest(model.outputs, ours, self._theirs(pair, model, shapes, given, side))
        outputs = [self._output(port, array, counterpart) for port, array, counterpart in rows]
        differs = any(item["differs"] for item in outputs)
        record: Record = {"status": DIFFERENT if differs else EQUAL, "outputs": outputs}
        if side is None or not (differs or self._every):
            return record
        record |= self._layers(model, given, ours, side, differs=differs)
        return record

    def _side(self, pair: Pair, shapes: Mapping[Port, Shape], given: Sequence[Value]) -> Side | None:
        """Return what computes the layers of the other side; None for expected outputs."""
        by_index = {value.port.index: value.array for value in given}
        if pair.other is None:
            from irrun.debugging.engines import OpenVINOSide

            return OpenVINOSide(
                pair.model, by_index, self._weights, {port.index: shape for port, shape in shapes.items()}
            )
        if pair.other.suffix == ONNX:
            from irrun.debugging.onnx_runtime import OnnxSide

            side = OnnxSide(pair.other)
            side.feed({value.port.all_names: value.array for value in given})
            return side
        if _is_expected(pair.other):
            return None
        other, _ = self._read(pair.other, None)
        fed = handed(given, other.inputs, pair.other, self._seed)
        return ModelSide(other, {value.port.index: value.array for value in fed}, self._config, str(pair.other))

    def _theirs(
        self,
        pair: Pair,
        model: Loaded,
        shapes: Mapping[Port, Shape],
        given: Sequence[Value],
        side: Side | None,
    ) -> list[Array | None]:
        """Return the outputs of the other side in the order of those of the model."""
        if pair.other is None:
            return list(Native(pair.model, self._weights, shapes, given, threads()).outputs)
        if side is None:
            return _expected(pair.other, model.outputs, self._budget)
        if isinstance(side, ModelSide):
            found = build(side.model, self._config)(side.inputs).to_tuple()
            return _in_order(model.outputs, [port.all_names for port in side.model.outputs], found, side.model.outputs)
        names = [(name,) for name in side.output_names]
        return _in_order(model.outputs, names, side.outputs())

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
        return {**record, **self._errors(array, other)}

    def _errors(self, array: Array, other: Array) -> Record:
        """Return the errors of an output as a record; ``problem`` says that the shapes differ."""
        if array.shape != other.shape:
            return {"differs": True, "problem": f"{shape_text(array)} beside {shape_text(other)}"}
        rtol, atol, stat = self._tolerance
        found = errors(array, other, median=stat == "median")
        rows = None if found.is_exact else changed_rows(array, other)
        return {
            "differs": found.exceeds(rtol, atol, stat),
            "problem": "",
            **{key: getattr(found, key) for key in METRICS},
            "argmax": None if rows is None else dict(zip(("changed", "rows"), rows, strict=True)),
        }

    def _layers(
        self, model: Loaded, given: Sequence[Value], ours: Sequence[Array], side: Side, *, differs: bool
    ) -> Record:
        """Return the first layer that differs, the one that errs by itself, and how many layers both sides have."""
        arrays = {value.port.index: value.array for value in given}
        try:
            found = compare_layers(model, arrays, side, self._tolerance, config=self._config, fail_fast=self._fail_fast)
        except (DebugError, IRError, OpError, RuntimeError, MemoryError) as error:
            return {"layer": None, "layers": None, "reason": str(error).partition("\n")[0] or "not enough memory"}
        first, culprit = found.first, found.culprit
        record: Record = {
            "layer": None if first is None else _record(first),
            "culprit": None if culprit is None or culprit is first else _record(culprit),
            "layers": len({item.id for item in found.layers}),
        }
        if differs and first is None and found.layers:
            record["optimisation"] = self._optimisation(ours, found, side)
        if self._every:
            record["table"] = [item.as_dict() for item in found.layers]
        return record

    def _optimisation(self, ours: Sequence[Array], found: LayerComparison, side: Side) -> Record | None:
        """Return how far the outputs of each side are from those of its own layers one by one."""
        apart = {"model": _farthest(ours, found.outputs), side.name: _farthest(self._optimised(side), found.others)}
        lower, upper = sorted(apart.values())
        if upper == 0:
            return None
        by = max(apart, key=lambda name: apart[name]) if upper > CLEAR * lower else None
        return {"by": by, "relative": apart}

    def _optimised(self, side: Side) -> Sequence[Array]:
        if isinstance(side, ModelSide):
            return build(side.model, self._config)(side.inputs).to_tuple()
        return side.outputs()


def _farthest(arrays: Sequence[Array], others: Sequence[Array]) -> float:
    """Return the largest relative error of some outputs beside others of the same shapes."""
    pairs = [(a, b) for a, b in zip(arrays, others, strict=False) if a.shape == b.shape]
    return max((errors(a, b).relative for a, b in pairs), default=0.0)


def _record(item: LayerDifference) -> Record:
    """Return a layer that differs as a record."""
    known = {key: getattr(item.errors, key) for key in METRICS} if item.errors is not None else {}
    own = None if item.own is None else {key: getattr(item.own, key) for key in METRICS}
    return {
        "name": item.layer,
        "type": item.type,
        "other": item.other,
        "differs": item.differs,
        "problem": item.problem,
        "max": None,
        "relative": None,
        **known,
        "own": own,
        "constants": list(item.constants),
    }


def _is_expected(path: Path) -> bool:
    return path.suffix in (".npy", ".npz") or path.is_dir()


def handed(given: Sequence[Value], ports: Sequence[Port], path: Path, seed: int) -> list[Value]:
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


def _in_order(
    ports: Sequence[Port], names: Sequence[Sequence[str]], found: Sequence[Array], others: Sequence[Port] | None = None
) -> list[Array | None]:
    """Return outputs of the other side in the order of ``ports``: by name, by place where no name is the same."""
    indices = range(len(names))
    matches = [
        next((i for i in indices if (_are_alike(port, others[i]) if others else names[i][0] in port.all_names)), None)
        for port in ports
    ]
    if all(index is None for index in matches):
        return list(found)
    rest: list[Array | None] = [found[index] for index in indices if index not in matches]
    return [None if index is None else found[index] for index in matches] + rest


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
