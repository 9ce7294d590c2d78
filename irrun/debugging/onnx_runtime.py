"""ONNX Runtime as the other side of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irrun.debugging.engines import in_parts
from irrun.debugging.faults import DebugError
from irrun.debugging.finding import ByValue
from irrun.debugging.replaying import Layers
from irrun.debugging.sides import Sink
from irrun.debugging.spool import Spool
from irrun.evaluation.handing import run_onnx
from irrun.evaluation.native import last_line, required
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded, Port
from irrun.tensor import Array


class OnnxSide:
    """An ONNX model in ONNX Runtime, without optimisation where layers are compared."""

    name = "ONNX Runtime"

    def __init__(self, path: Path) -> None:
        self._ort = required("onnxruntime", "--onnx", "onnx")
        self._onnx = required("onnx", "--onnx", "onnx")
        self._path = path
        try:
            self._proto = self._onnx.load(str(path))
            self._proto = self._onnx.shape_inference.infer_shapes(self._proto)
        except OSError:
            raise
        except Exception as error:
            raise DebugError(f"{path} cannot be read as an ONNX model: {last_line(error)}") from None
        graph = self._proto.graph
        initial = {item.name for item in graph.initializer}
        self.inputs: list[Any] = [item.name for item in graph.input if item.name not in initial]
        self._given: dict[str, Array] = {}
        self._made = {name for node in graph.node for name in node.output if name}

    def order(self, ports: Sequence[Port]) -> Sequence[int | None]:
        names = self._output_names
        return [next((place for place, name in enumerate(names) if name in port.all_names), None) for port in ports]

    @property
    def _output_names(self) -> Sequence[str]:
        return [item.name for item in self._proto.graph.output]

    def feed(self, inputs: Mapping[Sequence[str], Array]) -> None:
        """Set the inputs: arrays by their names, of which one must be that of an input; by place where none is."""
        by_name = {name: array for names, array in inputs.items() for name in names}
        if not any(name in by_name for name in self.inputs) and len(inputs) == len(self.inputs):
            by_name = dict(zip(self.inputs, inputs.values(), strict=True))
        missing = [name for name in self.inputs if name not in by_name]
        if missing:
            known = ", ".join(names[0] for names in inputs)
            raise DebugError(f'{self._path}: the IR has no input "{missing[0]}", its inputs are {known}')
        self._given = {name: by_name[name] for name in self.inputs}

    def counterparts(self, model: Loaded, inputs: Mapping[int, Array]) -> Mapping[Outlet, tuple[Hashable, str]]:
        """Match by tensor name, which OpenVINO's converter keeps, then by value."""
        found: dict[Outlet, tuple[Hashable, str]] = {}
        taken: set[Hashable] = set()
        for node in model.graph.ordered():
            for port, names in enumerate(node.names):
                name = next((item for item in names if item in self._made and item not in taken), None)
                if name is not None and node.type not in ("Parameter", "Const"):
                    found[Outlet(node.id, port)] = name, "name"
                    taken.add(name)
        layers = Layers(model)
        if all(outlet in found for id in layers.steps for outlet in layers.outlets(id)):
            return found
        with Spool() as spool:
            finder = _ByValue(layers, spool, inputs)
            self.tensors(self._made, finder.put)
            for outlet, (key, _) in found.items():
                finder.take(outlet, finder.places[key])
            finder.forward()
        others = {place: key for key, place in finder.places.items()}
        return {outlet: (others[other], "value") for outlet, other in finder.found.items()} | found

    def label(self, key: Hashable) -> str:
        return str(key)

    def outputs(self) -> Sequence[Array]:
        """Run the model as it is, with ONNX Runtime's optimisation."""
        return self._run(self._proto, self._output_names, optimised=True)

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        wanted = [name for node in self._proto.graph.node for name in node.output if name in set(keys)]
        sizes = self._sizes()
        outputs: Sequence[Array] | None = None
        for part in in_parts(wanted, {name: sizes.get(name, 1 << 20) for name in wanted}):
            proto = self._onnx.ModelProto()
            proto.CopyFrom(self._proto)
            present = {item.name for item in proto.graph.output}
            added = [self._onnx.ValueInfoProto(name=str(name)) for name in part if name not in present]
            proto.graph.output.extend(added)
            for name, array in zip(part, self._run(proto, [str(name) for name in part]), strict=True):
                sink(name, array)
        if outputs is None:
            outputs = self._run(self._proto, self._output_names)
        return outputs

    def _sizes(self) -> dict[str, int]:
        found = {}
        for item in self._proto.graph.value_info:
            dims = [dim.dim_value for dim in item.type.tensor_type.shape.dim]
            found[item.name] = 4 * int(np.prod([dim or 1 for dim in dims], dtype=np.int64))
        return found

    def _run(self, proto: Any, names: Sequence[str], *, optimised: bool = False) -> list[Array]:
        options = self._ort.SessionOptions()
        options.log_severity_level = 3
        if not optimised:
            options.graph_optimization_level = self._ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            with working("running ONNX Runtime"):
                session = self._ort.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
                return run_onnx(self._ort, session, names, self._given)
        except Exception as error:
            raise DebugError(f"ONNX Runtime cannot run {self._path}: {last_line(error)}") from None


class _ByValue(ByValue):
    """Finds tensors among those of ONNX, whose layers only have names."""

    def __init__(self, ours: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        super().__init__(ours, spool, inputs)
        self.places: dict[Hashable, Outlet] = {}
        self._names: list[str] = []

    def put(self, name: Hashable, array: Array) -> None:
        """Keep a tensor."""
        self.places[name] = Outlet(len(self._names), 0)
        self._names.append(str(name))
        self.tensors.put(self.places[name], array)

    def described(self, other: Outlet) -> tuple[str, str]:
        return self._names[other.node], ""
