"""The comparison of the files of one pair, here or in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from irrun.cli import inputs
from irrun.cli.comparing.pairs import Pair
from irrun.cli.failures import Failure
from irrun.debugging.comparing import Record, compare
from irrun.debugging.layers import Tolerance
from irrun.debugging.sides import Side
from irrun.diagnostics import IRError, OpError
from irrun.diagnostics.internal import InternalError
from irrun.diagnostics.naming import of_system
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.files import arrays, reading, saving
from irrun.model import InputError, Loaded, Port, load
from irrun.tensor import Array, Shape

OPENVINO = "OpenVINO"
ONNX = ".onnx"
FAILED = "failed"


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
        except (RequestError, InputError, IRError, OpError, InternalError, MemoryError) as error:
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
        read = reading.from_files(self._files, model.inputs, folder, self._budget)
        given = reading.by_index(reading.completed(read, model.inputs, self._seed))
        found = compare(
            model,
            self._other(pair, model, shapes, given),
            given,
            self._tolerance,
            config=self._config,
            every=self._every,
            fail_fast=self._fail_fast,
            name=str(pair.other),
        )
        return found.as_dict(every=self._every)

    def _other(
        self, pair: Pair, model: Loaded, shapes: Mapping[Port, Shape], given: Mapping[int, Array]
    ) -> Loaded | Side | Sequence[Array | None]:
        """Return the other model, the engine that runs it, or the expected outputs."""
        if pair.other is None:
            from irrun.debugging.engines import OpenVINOSide

            return OpenVINOSide(pair.model, given, self._weights, reading.by_place(shapes))
        if pair.other.suffix == ONNX:
            from irrun.debugging.onnx_runtime import OnnxSide

            side = OnnxSide(pair.other)
            side.feed({port.all_names: given[port.index] for port in model.inputs})
            return side
        if pair.other.suffix in (".npy", ".npz") or pair.other.is_dir():
            return _expected(pair.other, model.outputs, self._budget)
        return self._read(pair.other, None)[0]

    def _read(self, path: Path, weights: Path | None) -> tuple[Loaded, dict[Port, Shape]]:
        return inputs.reshape(load(path, weights, extensions=self._extensions), self._shapes)


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
