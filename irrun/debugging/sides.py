"""The other side of a comparison: something that computes the outputs of layers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Final, Protocol

from irrun.debugging.aligning import Alignment, align
from irrun.debugging.places import Passer, Watcher
from irrun.debugging.ports import completed, paired
from irrun.debugging.stopping import AS_WRITTEN
from irrun.graph import Outlet
from irrun.model import Loaded, Outputs, Port, build
from irrun.tensor import Array

OPENVINO: Final = "OpenVINO"
"""The name of OpenVINO as a side."""

Sink = Callable[[Hashable, Array], None]
"""Takes a tensor by its key; the array may be overwritten afterwards."""


class Side(Protocol):
    """The counterpart of a model in a comparison, layer by layer."""

    name: str

    def order(self, ports: Sequence[Port]) -> Sequence[int | None]:
        """Return the place of the output that belongs to each of ``ports``; None where it has none."""
        ...

    def outputs(self) -> Sequence[Array]:
        """Compute the outputs as usual, with optimisation."""
        ...

    def counterparts(self, model: Loaded, inputs: Mapping[int, Array]) -> Mapping[Outlet, tuple[Hashable, str]]:
        """Return the key of the tensor for outputs of layers of a model on inputs, and how it was found."""
        ...

    def label(self, key: Hashable) -> str:
        """Return the name of a tensor in messages."""
        ...

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        """Compute some tensors layer by layer, each passed on as soon as it is there; return the outputs."""
        ...


class ModelSide:
    """Another IR, which irrun runs as written."""

    def __init__(self, model: Loaded, inputs: Any, config: Mapping[str, Any] | None = None, name: str = "") -> None:
        self.name: str = name or model.friendly_name
        self.model = model
        self.inputs = inputs
        self.config: dict[str, Any] = dict(config or {})
        self._aligned: tuple[Loaded, Alignment] | None = None

    def order(self, ports: Sequence[Port]) -> Sequence[int | None]:
        return paired(ports, self.model.outputs)

    def outputs(self) -> Sequence[Array]:
        return build(self.model, self.config)(self.inputs).to_tuple()

    def counterparts(self, model: Loaded, inputs: Mapping[int, Array]) -> Mapping[Outlet, tuple[Hashable, str]]:
        return dict(self.aligned(model, inputs).counterparts())

    def aligned(self, model: Loaded, inputs: Mapping[int, Array]) -> Alignment:
        """Return a model on inputs beside this one, which is looked for once."""
        if self._aligned is None or self._aligned[0] is not model:
            ends = completed(self.order(model.outputs), len(self.model.outputs))
            self._aligned = model, align(model, self.model, inputs, self.inputs, ends, self.config)
        return self._aligned[1]

    def label(self, key: Hashable) -> str:
        assert isinstance(key, Outlet)
        return self.model.graph.node(key.node).name

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        return run_as_written(self.model, self.inputs, self.config, Passer(sink, set(keys))).to_tuple()


def run_as_written(model: Loaded, inputs: Any, config: Mapping[str, Any], watcher: Watcher) -> Outputs:
    """Run a model layer by layer with an observer."""
    session = build(model, {**config, **AS_WRITTEN}).session()
    session.observers.append(watcher)
    return session.run(inputs)
