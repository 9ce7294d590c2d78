"""OpenVINO as the other side of a comparison."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from irrun.debugging.cases import layers_of
from irrun.debugging.cutting import constant_nodes, model_of, save
from irrun.debugging.faults import DebugError
from irrun.debugging.sides import OPENVINO, Sink
from irrun.debugging.spool import Spool
from irrun.editing import piece
from irrun.evaluation.handing import from_openvino, to_openvino
from irrun.evaluation.native import OpenVINOModel, last_line, required
from irrun.graph import Outlet
from irrun.jobs.progress import told, working
from irrun.kernels.aligned import trim
from irrun.model import Loaded, Port
from irrun.tensor import Array, Shape

_HELD: Final = 1 << 24
"""The bytes of tensors that another engine is asked for at a time."""

Key = TypeVar("Key")

_SILENT: Final = frozenset({"Parameter", "Constant", "Result", "Assign", "ReadValue"})


class OpenVINOSide:
    """The same IR in OpenVINO's CPU plugin, with every tensor as an output, so that nothing is fused."""

    name = OPENVINO

    def __init__(
        self,
        path: Path,
        inputs: Mapping[int, Array],
        weights: Path | None = None,
        shapes: Mapping[int, Shape] | None = None,
        precision: str = "f32",
    ) -> None:
        self._ov = required("openvino", "--openvino")
        self._core = self._ov.Core()
        self._path, self._weights, self._shapes = path, weights, dict(shapes or {})
        self._inputs = dict(inputs)
        self._config = {"INFERENCE_PRECISION_HINT": precision, "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
        self.precision: str = precision
        self._model: Loaded | None = None

    def counterparts(self, model: Loaded, inputs: Mapping[int, Array]) -> Mapping[Outlet, tuple[Hashable, str]]:
        del inputs
        self._model = model
        known = {self._key(port) for port in _ports(self._read())}
        found: dict[Outlet, tuple[Hashable, str]] = {}
        taken: set[Hashable] = set()
        for node in model.graph.ordered():
            for port in range(node.outputs):
                key = node.name, port
                if key in known and key not in taken:
                    found[Outlet(node.id, port)] = key, "name"
                    taken.add(key)
        return found

    def label(self, key: Hashable) -> str:
        assert isinstance(key, tuple)
        return str(key[0])

    def order(self, ports: Sequence[Port]) -> Sequence[int | None]:
        return range(len(ports))

    def outputs(self) -> Sequence[Array]:
        """Run the model as it is, with OpenVINO's optimisation."""
        found = [array.copy() for array in self._computed(self._read())]
        trim()
        return found

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        if self._model is not None and not _has_state(self._model) and _bytes(self._model) > _HELD:
            with suppress(DebugError, RuntimeError):
                return self._in_pieces(self._model, set(keys), sink)
        return self._at_once(set(keys), sink)

    def _at_once(self, wanted: Collection[Hashable], sink: Sink) -> list[Array]:
        """Run the model with every wanted tensor as an output."""
        model = self._read()
        count = len(model.outputs)
        ports: dict[Hashable, Any] = {}
        for port in _ports(model):
            ports.setdefault(self._key(port), port)
        places = {_identity(port): key for key, port in ports.items() if key in wanted}
        model.add_outputs([port for key, port in ports.items() if key in wanted])
        outputs: list[Array] = []
        for index, (result, array) in enumerate(zip(model.get_results(), self._computed(model), strict=True)):
            key = places.get(_identity(result.input_value(0)))
            if key is not None:
                sink(key, array)
            if index < count:
                outputs.append(array.copy())
        return outputs

    def _in_pieces(self, model: Loaded, wanted: Collection[Hashable], sink: Sink) -> list[Array]:
        """Run some layers at a time, each piece with the tensors of those before it, so that few are in memory."""
        graph, facts = model.graph, model.facts
        constant = constant_nodes(graph)
        with Spool() as spool, tempfile.TemporaryDirectory(prefix="irrun-") as folder:
            for place, id in enumerate(graph.parameters):
                spool.put(Outlet(id, 0), self._inputs[place])
            for number, part in enumerate(told(list(_in_parts(model)), "running OpenVINO", unit="pieces")):
                inside = set(part)
                sources = (outlet for id in part for outlet in graph.sources(id) if outlet is not None)
                start = [outlet for outlet in sources if outlet.node not in inside and outlet.node not in constant]
                cut = piece(graph, facts, model.weights, start, [out for id in part for out in facts.outlets(id)])
                path = Path(folder, f"{number}.xml")
                save(model_of(model, cut.graph, cut.facts), path)
                side = OpenVINOSide(path, {place: spool.get(outlet) for place, outlet in enumerate(cut.inputs)})
                for outlet, array in zip(cut.outputs, side._computed(side._read()), strict=True):
                    spool.put(outlet, array)
                    key = graph.node(outlet.node).name, outlet.port
                    if key in wanted:
                        sink(key, array)
                del side
                trim()
            ends = [source for id in graph.results if (source := graph.sources(id)[0]) is not None]
            return [spool.get(outlet) for outlet in ends if outlet in spool]

    @staticmethod
    def _key(port: Any) -> tuple[str, int]:
        return port.get_node().get_friendly_name(), port.get_index()

    def _read(self) -> Any:
        try:
            return OpenVINOModel(self._path, self._weights, self._shapes).read(self._ov, self._core)
        except (RuntimeError, TypeError) as error:
            raise DebugError(f"OpenVINO cannot read {self._path}: {last_line(error)}") from None

    def _computed(self, model: Any) -> Iterator[Array]:
        """Yield the outputs of a model, each of which lasts until the next one."""
        try:
            with working("running OpenVINO"):
                compiled = self._core.compile_model(model, "CPU", self._config)
                self.precision = compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
                request = compiled.create_infer_request()
                # The request does not keep the arrays whose memory its tensors share.
                given = [
                    to_openvino(self._ov, self._inputs[place], port.element_type)
                    for place, port in enumerate(compiled.inputs)
                ]
                for place, tensor in enumerate(given):
                    request.set_input_tensor(place, tensor)
                request.start_async()
                request.wait()
        except (RuntimeError, TypeError, ValueError) as error:
            raise DebugError(f"OpenVINO cannot run {self._path}: {last_line(error)}") from None
        for index in range(len(compiled.outputs)):
            yield from_openvino(request.get_output_tensor(index))


def _identity(port: Any) -> tuple[str, int]:
    """Return what no other port of a model has."""
    return port.get_node().get_name(), port.get_index()


def _ports(model: Any) -> Iterator[Any]:
    for node in model.get_ordered_ops():
        if node.get_type_name() not in _SILENT:
            yield from node.outputs()


def _bytes(model: Loaded) -> int:
    return sum(fact.least_bytes for fact in model.facts.of.values() if not fact.is_constant)


def _has_state(model: Loaded) -> bool:
    return any(node.type in ("ReadValue", "Assign") for node in model.graph.walk())


def _in_parts(model: Loaded) -> Iterator[list[int]]:
    """Yield the layers of a model in lists whose outputs take a bounded number of bytes, or are those of one layer."""
    ids = layers_of(model)
    sizes = {id: sum(model.facts[outlet].least_bytes for outlet in model.facts.outlets(id)) for id in ids}
    return in_parts(ids, sizes)


def in_parts(keys: Sequence[Key], sizes: Mapping[Key, int]) -> Iterator[list[Key]]:
    """Yield keys in lists whose tensors take a bounded number of bytes, or are a single one."""
    part: list[Key] = []
    held = 0
    for key in keys:
        if part and held + sizes[key] > _HELD:
            yield part
            part, held = [], 0
        part.append(key)
        held += sizes[key]
    if part:
        yield part
