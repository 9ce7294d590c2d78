"""The faults that binding finds."""

from __future__ import annotations

from collections.abc import Sequence

from irrun.diagnostics import Fault, listing
from irrun.diagnostics.fault import Said
from irrun.document.records import LayerElement


class DuplicateLayerId(Fault):
    """A layer with the id of an earlier one."""

    code = "IR201"
    words = 'layer id "{self.id}" is used twice, expected an id of its own'
    id: str


class DanglingEdge(Fault):
    """An edge that names a layer that does not exist; ``other`` is its other end where that does not exist either."""

    code = "IR202"
    end: str
    id: str
    other: str | None = None

    @property
    def message(self) -> str:
        if self.other is not None:
            return f'from-layer "{self.id}" and to-layer "{self.other}": there are no layers with these ids'
        return f'{self.end} "{self.id}": there is no layer with this id'


class UnknownEdgePort(Fault):
    """An edge that names a port that its layer does not have."""

    code = "IR203"
    end: str
    port: str
    layer: LayerElement
    known: str

    @property
    def message(self) -> str:
        side = "output" if self.end == "from-port" else "input"
        subject = f"layer {self.layer.id} ({self.layer.type})"
        return f'{self.end} "{self.port}": {subject} has no such {side} port; {self.known}'


class UnconnectedInput(Fault):
    """An input without an edge, with the id of its port where it has one."""

    code = "IR204"
    port: str | None = None

    @property
    def message(self) -> str:
        subject = "the input" if self.port is None else f"input port {self.port}"
        return f"{subject} is not connected, expected an edge to it"


class InputFedTwice(Fault):
    """A second edge to an input port."""

    code = "IR205"
    words = "input port {self.port} is fed twice, expected one edge"
    port: str


class Cycle(Fault):
    """Layers that depend on each other, by name."""

    code = "IR206"
    names: Sequence[str]

    @property
    def message(self) -> str:
        ring = " → ".join(f'"{name}"' for name in (*self.names, self.names[0]))
        return f"the layers form a cycle: {ring}"


class WrongPortMap(Said):
    """A port map that does not connect a body to its layer."""

    code = "IR207"


class WrongBackEdge(Said):
    """A back edge that does not lead from a Result to a Parameter of its body."""

    code = "IR208"


class WrongPreProcess(Said):
    """A mean that does not fit the model."""

    code = "IR215"


class ChangedDefault(Fault):
    """An absent attribute for which OpenVINO departs from the default of the specification."""

    code = "IR310"
    words = "{self.name} is absent: OpenVINO reads {self.read}, the specification says {self.default}"
    name: str
    read: str
    default: str


class MissingForOpenvino(Fault):
    """Absent attributes that have a default in the specification and none in OpenVINO."""

    code = "IR312"
    names: Sequence[str]
    defaults: Sequence[str]
    reads: str = ""

    @property
    def message(self) -> str:
        verb = "is" if len(self.names) == 1 else "are"
        says = listing(self.defaults, "and")
        refuses = f"OpenVINO {self.reads}refuses the layer, the specification says {says}"
        return f"{listing(self.names, 'and')} {verb} absent: {refuses}"
