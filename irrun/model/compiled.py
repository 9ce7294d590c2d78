"""A model that is compiled and run."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irrun.diagnostics.internal import Boundary
from irrun.document.weights import Weights
from irrun.jobs.collector import collection_paused
from irrun.jobs.watchdog import ending_after
from irrun.kernels.aligned import trim
from irrun.model.arguments import InputError, accept, find_port, released
from irrun.model.config import Config, read_config
from irrun.model.loaded import Loaded, PathLike, load, require_unchanged
from irrun.model.port import Port
from irrun.model.specialize import Plans
from irrun.runtime import Executor, Observer, Plan, Request, State
from irrun.tensor import Array, ElementType

Inputs = Mapping[Any, Any] | Sequence[Any] | Any


class Outputs(Mapping[Any, Array]):
    """The outputs of one inference, in the order of the Results; indexed by position, name or ``Port``."""

    def __init__(self, ports: Sequence[Port], arrays: Sequence[Array]) -> None:
        self._ports = tuple(ports)
        self._arrays = tuple(arrays)

    def __getitem__(self, key: int | str | Port) -> Array:
        if isinstance(key, Port):
            return self._arrays[key.index]
        if isinstance(key, str):
            return self._arrays[find_port(self._ports, key, "output").index]
        return self._arrays[key]

    def __iter__(self) -> Iterator[Port]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def to_dict(self) -> dict[Port, Array]:
        return dict(zip(self._ports, self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        return self._arrays

    def __repr__(self) -> str:
        return f"Outputs({', '.join(f'{p.any_name}: {list(a.shape)}' for p, a in self.to_dict().items())})"


class Session:
    """Runs of a compiled model that share variables."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._state = State()
        self.observers: list[Observer] = []
        self.results: Outputs | None = None

    def run(self, inputs: Inputs = None) -> Outputs:
        """Run the model. Inputs are a mapping of names, positions or ports to arrays, a sequence, or one array.

        InputError where they do not fit, IRError where a layer cannot be computed or exceeds a limit. Exceptions of
        observers pass through.
        """
        documented = (Exception,) if self.observers else (InputError,)
        with Boundary(self._compiled.filename, documented):
            return self._run(inputs)

    def _run(self, inputs: Inputs) -> Outputs:
        compiled = self._compiled
        compiled.config.apply()
        require_unchanged(compiled.weights, compiled.filename)
        arrays = accept(compiled.inputs, inputs, compiled.plan.parameter_types, compiled.means)
        self.results = None
        plan, check = compiled.plans.of(arrays)
        with ending_after(compiled.config.budget.seconds):
            request = Request(arrays, self._state, self.observers, plan.budget)
            results = compiled.executor.run(plan, request, check)
        require_unchanged(compiled.weights, compiled.filename)
        kept = [*arrays, *self._state.values.values()]
        self.results = Outputs(compiled.outputs, released(results, compiled.output_types, kept))
        return self.results

    @property
    def state(self) -> State:
        """The variables of this session."""
        return self._state


class Compiled:
    """A model ready to run, independent of the Model it was made from; safe to call from several threads."""

    def __init__(self, model: Loaded, config: Config | None = None) -> None:
        self.config: Config = config if config is not None else Config()
        self.plan: Plan = model.plan(self.config.optimize, self.config.budget)
        self.means: dict[int, Array] = model.means()
        self.weights: Weights = model.weights
        self.filename: str = model.filename
        self.weights.forget()
        trim()
        self.plans: Plans = Plans(
            model.bound.graph, self.weights, model.facts, self.config.optimize, self.plan, model.filename
        )
        self.inputs: list[Port] = model.inputs
        self.outputs: list[Port] = model.outputs
        self.output_types: list[ElementType] = [port.element_type for port in self.outputs]
        self.executor: Executor = Executor(self.config.tier, self.config.streams, self.config.cache)
        if all(fact.shape.is_static for fact in self.plan.parameter_facts):
            self.executor.prepare(self.plan)

    def input(self, key: int | str = 0) -> Port:
        return find_port(self.inputs, key, "input")

    def output(self, key: int | str = 0) -> Port:
        return find_port(self.outputs, key, "output")

    def session(self) -> Session:
        return Session(self)

    @property
    def tiers(self) -> Executor:
        """The executor, by its former name."""
        warnings.warn("tiers is now called executor", DeprecationWarning, stacklevel=2)
        return self.executor

    def __call__(self, inputs: Inputs = None) -> Outputs:
        """Run the model in a new session, with variables at their initial values."""
        return Session(self).run(inputs)

    def __repr__(self) -> str:
        return f"<Compiled inputs={self.inputs} outputs={self.outputs} steps={len(self.plan.steps)}>"


def build(model: Loaded | PathLike, config: Mapping[str, Any] | str | None = None) -> Compiled:
    """Optimise and plan a model.

    ``config`` holds settings under OpenVINO's names:
    ``{"INFERENCE_NUM_THREADS": 2, "EXECUTION_MODE_HINT": "ACCURACY"}``, of which the latter forbids optimisations that
    lose precision. ``{"OPTIMIZE": False}`` runs layer by layer exactly as written,
    ``{"OPTIMIZE": {"disable": ["fuse-convolution"]}}`` skips passes. ``{"TIER": "numpy"}`` forbids compiled kernels,
    ``{"TIER": "compiled"}`` uses them for small models from the first run on, too. ``{"LOW_MEMORY": True}``
    keeps weights in their stored element type, f16 too, even where that is slower.
    ``{"INFERENCE_PRECISION_HINT": "bf16"}`` rounds the operands of products. ``{"MAX_MEMORY": "4GiB"}``,
    ``{"MAX_ITERATIONS": 1000}`` and ``{"TIMEOUT": 2.5}``, in seconds, limit an inference; None lifts a limit. A text
    names a device and is ignored, since there is only one. ValueError for an unknown setting.
    """
    settings = read_config(config)
    read = model if isinstance(model, Loaded) else load(model)
    with Boundary(read.filename), collection_paused():
        return Compiled(read, settings)
