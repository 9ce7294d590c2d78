"""Tensors of a request: those that inputs are read from and outputs written to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irrun.model.arguments import InputError, as_carrier
from irrun.openvino.nodes.ports import ConstOutput, Output, port_named, same_port
from irrun.openvino.running.results import OVDict
from irrun.openvino.running.runnable import Runnable, port_of
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.shapes import Shape
from irrun.openvino.values.tensor import Tensor, is_raw
from irrun.tensor import Array, Fact


class RequestTensors:
    """The tensors of the inputs and outputs of a compiled model; zeros where none was set."""

    def _begin(self, compiled: Runnable) -> None:
        self._compiled = compiled
        self._given: dict[int, Tensor] = {}
        self._values: dict[int, Array] = {}
        self._targets: dict[int, Tensor] = {}
        self._batches: dict[int, Sequence[Tensor]] = {}
        self._shared: set[int] = set()
        self._shares_outputs = False
        self._results: OVDict | None = None
        self._shapes = [_smallest(port.fact) for port in compiled._outputs]
        self._is_busy = False

    def _require_idle(self) -> None:
        if self._is_busy:
            raise RuntimeError("the request is busy; wait returns once its inference is done")

    def _keep(self, index: int, value: Any, shared: bool) -> None:
        """Keep the value of an input, as a copy unless it is shared; where its tensor was handed out, in that."""
        port = self._compiled.engine.inputs[index]
        array = as_carrier(port, _value(value, self._compiled._inputs[index]))
        self._batches.pop(index, None)
        if shared or index in self._shared:
            self._given.pop(index, None)
            self._shared.discard(index)
        if shared:
            if array.flags.writeable:
                self._shared.add(index)
            self._values[index] = array
        elif index in self._given:
            self._given[index].copy_from(Tensor.of_values(array, port.element_type))
        else:
            self._values[index] = np.array(array)

    def _value_of(self, index: int) -> Array:
        if index in self._batches:
            return np.concatenate([tensor.values() for tensor in self._batches[index]])
        if index in self._given:
            return self._given[index].values()
        found = self._values.get(index)
        return found if found is not None else zeros(self._compiled._inputs[index].fact)

    @property
    def results(self) -> OVDict:
        """The results of the last inference; zeros before the first."""
        self._require_idle()
        if self._results is None:
            ports = self._compiled._outputs
            return OVDict(ports, shown(ports, [zeros(port.fact) for port in ports]))
        return self._results

    @property
    def model_inputs(self) -> list[ConstOutput]:
        """The inputs of the compiled model."""
        return self._compiled.inputs

    @property
    def model_outputs(self) -> list[ConstOutput]:
        """The outputs of the compiled model."""
        return self._compiled.outputs

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors of all inputs."""
        return [self.get_input_tensor(index) for index in range(len(self._compiled._inputs))]

    @property
    def output_tensors(self) -> list[Tensor]:
        """The tensors of all outputs."""
        return [self.get_output_tensor(index) for index in range(len(self._compiled._outputs))]

    def get_input_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an input, which the next inference reads."""
        self._require_idle()
        at = self._index(self._compiled._inputs, index if index is not None else self._only("input"), "input")
        if at in self._batches:
            what = "get_tensor shall not be used together with batched set_tensors/set_input_tensors"
            raise RuntimeError(f"{what}: the input has {len(self._batches[at])} tensors")
        if at not in self._given:
            value = self._value_of(at)
            made = value if at in self._shared else value.copy()
            self._given[at] = Tensor.of_values(made, self._compiled._inputs[at].fact.type)
        return self._given[at]

    def get_output_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an output, which every inference writes."""
        self._require_idle()
        at = self._index(self._compiled._outputs, index if index is not None else self._only("output"), "output")
        if at not in self._targets:
            type, array = self._compiled._outputs[at].fact.type, self.results[at]
            is_shared = self._shares_outputs and type.kind != "string"
            copy = array if is_shared else array.astype(object if type.kind == "string" else array.dtype)
            self._targets[at] = (
                Tensor(copy, Shape(self._shapes[at]), type) if is_raw(type) else Tensor.of_values(copy, type)
            )
        return self._targets[at]

    def _only(self, what: str) -> int:
        ports = self._compiled._inputs if what == "input" else self._compiled._outputs
        if len(ports) != 1:
            raise RuntimeError(f"the model has {len(ports)} {what}s; name one of them")
        return 0

    @also_named("key", "name", "port")
    def get_tensor(self, key: Any) -> Tensor:
        """Return the tensor of an input or output by name or port; RuntimeError where there is none."""
        is_input, index = self._either(key)
        return self.get_input_tensor(index) if is_input else self.get_output_tensor(index)

    @also_named("key", "name", "port")
    def set_tensor(self, key: Any, tensor: Tensor) -> None:
        """Read an input from a tensor, or write an output to it, from now on."""
        is_input, index = self._either(key)
        self._set(is_input, index, tensor)

    def set_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Set the tensors of inputs and outputs by name or port, or those of the images of a batch for one input."""
        if tensors is not None:
            self._set_batch(self._either(inputs)[1], tensors)
            return
        for key, tensor in inputs.items():
            self.set_tensor(key, tensor)

    def set_input_tensor(self, index: Any, tensor: Tensor | None = None) -> None:
        """Read an input from a tensor: ``set_input_tensor(tensor)`` or ``set_input_tensor(index, tensor)``."""
        self._set_at(True, index, tensor)

    def set_output_tensor(self, index: Any, tensor: Tensor | None = None) -> None:
        """Write an output to a tensor: ``set_output_tensor(tensor)`` or ``set_output_tensor(index, tensor)``."""
        self._set_at(False, index, tensor)

    def set_input_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Set the tensors of inputs by index, or those of the images of a batch for one input."""
        if isinstance(inputs, Mapping):
            for index, tensor in inputs.items():
                self._set_at(True, index, tensor)
        elif tensors is None:
            self._set_batch(self._only("input"), inputs)
        else:
            self._set_batch(self._index(self._compiled._inputs, inputs, "input"), tensors)

    def _set_batch(self, index: int, tensors: Sequence[Tensor]) -> None:
        """Read an input from tensors that are joined along the first axis, from now on."""
        self._require_idle()
        port = self._compiled._inputs[index]
        for tensor in tensors:
            _require_type(tensor, port)
        joined = (sum(tensor.shape[0] for tensor in tensors), *list(tensors[0].shape)[1:])
        if not port.fact.shape.admits(joined):
            raise InputError(f"the tensors have shape {Shape(joined)} together, expected {port.fact.shape}")
        self._batches[index] = list(tensors)

    def set_output_tensors(self, outputs: Mapping[int, Tensor]) -> None:
        """Set the tensors of outputs by index."""
        for index, tensor in outputs.items():
            self._set_at(False, index, tensor)

    def _set_at(self, is_input: bool, index: Any, tensor: Tensor | None) -> None:
        what = "input" if is_input else "output"
        if tensor is None:
            tensor, index = index, self._only(what)
        ports = self._compiled._inputs if is_input else self._compiled._outputs
        self._set(is_input, self._index(ports, index, what), tensor)

    def _set(self, is_input: bool, index: int, tensor: Any) -> None:
        self._require_idle()
        if not isinstance(tensor, Tensor):
            raise TypeError(f"a Tensor is expected, got {type(tensor).__name__}")
        port = (self._compiled._inputs if is_input else self._compiled._outputs)[index]
        _require_type(tensor, port)
        if not port.fact.shape.admits(tuple(tensor.shape)):
            raise InputError(f"the tensor has shape {tensor.shape}, expected {port.fact.shape} for {port!r}")
        if is_input:
            self._batches.pop(index, None)
            self._shared.discard(index)
        (self._given if is_input else self._targets)[index] = tensor

    def _either(self, key: Any) -> tuple[bool, int]:
        inputs, outputs = self._compiled._inputs, self._compiled._outputs
        if not isinstance(key, Output | str):
            raise TypeError(f"a tensor is named by a string or a port of a model, got {key!r}")
        is_input = (
            same_port(inputs, key) is not None if isinstance(key, Output) else port_named(inputs, key) is not None
        )
        return is_input, self._index(inputs if is_input else outputs, key, "input" if is_input else "output", Output)

    def _index(self, ports: Sequence[ConstOutput], key: Any, what: str, known: type[Output] = ConstOutput) -> int:
        if isinstance(key, known):
            found = same_port(ports, key)
            if found is None and what == "input":
                named = (port_named(ports, name) for name in sorted(key.names))
                found = next((ports.index(port) for port in named if port is not None), None)
            if found is None:
                raise RuntimeError(f"{key!r} is not an {what} of this model")
            return found
        if isinstance(key, bool) or not isinstance(key, int | str | np.integer):
            raise TypeError(f"an {what} is named by a string, an integer or a port of the compiled model, got {key!r}")
        port = port_of(list(ports), int(key) if isinstance(key, np.integer) else key, what)
        return next(index for index, item in enumerate(ports) if item is port)


def zeros(fact: Fact) -> Array:
    """Return zeros of the smallest shape."""
    sizes = _smallest(fact)
    if fact.type.kind == "string":
        return np.full(sizes, "", object)
    return np.zeros(sizes, fact.type.external)


def _smallest(fact: Fact) -> tuple[int, ...]:
    return tuple(dim.lo for dim in fact.shape.dims or ())


def shown(ports: Sequence[ConstOutput], arrays: Sequence[Array], *, decode_strings: bool = True) -> list[Array]:
    """Return the values of outputs as callers get them: bits where NumPy does not know the type, strings or bytes.

    A byte of a string that is not UTF-8 is a lone surrogate, so that nothing is lost.
    """
    made = []
    for port, array in zip(ports, arrays, strict=True):
        tensor = Tensor.of_values(array, port.fact.type)
        is_text = port.fact.type.kind == "string"
        if is_text and decode_strings:
            made.append(np.array([str(item) for item in array.reshape(-1).tolist()], np.str_).reshape(array.shape))
        else:
            made.append(tensor.bytes_data if is_text else tensor.data)
    return made


def _require_type(tensor: Tensor, port: ConstOutput) -> None:
    element, type = tensor.get_element_type().element, port.fact.type
    if type.is_known and element is not type:
        raise InputError(f"the tensor is {element}, expected {type} for {port!r}")


def _takes_a_scalar(fact: Fact) -> bool:
    """Return whether an input with axes holds one element, or has one axis: OpenVINO takes scalars for these."""
    shape, rank = fact.shape, fact.shape.rank
    return rank is not None and rank > 0 and (shape.is_static or rank == 1) and shape.admits((1,) * rank)


def _value(value: Any, port: ConstOutput) -> Any:
    """Return a value for an input as an array, or what can be made one; TypeError for None."""
    fact = port.fact
    if value is None:
        raise TypeError(f"the value for {port!r} is None")
    if isinstance(value, Tensor):
        _require_type(value, port)
        return value.values()
    if fact.type.kind == "string":
        texts = np.asarray(value)
        return np.char.decode(texts) if texts.dtype.kind == "S" else texts
    if isinstance(value, list):
        value = np.asarray(value)
    if np.ndim(value) == 0 and _takes_a_scalar(fact):
        value = np.reshape(value, (1,) * len(fact.shape))
    kind = value.dtype.kind if isinstance(value, np.ndarray | np.generic) else "f" if isinstance(value, float) else ""
    if kind == "f" and fact.type.is_integer and not is_raw(fact.type):
        with np.errstate(all="ignore"):
            return np.asarray(value).astype(fact.type.external)
    if isinstance(value, np.ndarray) and fact.type.name == "bf16" and value.dtype == np.float16:
        return Tensor(value, Shape(value.shape), fact.type).values()
    if isinstance(value, np.ndarray) and is_raw(fact.type) and value.dtype == np.uint8 and fact.shape.is_static:
        return Tensor(value, Shape(fact.shape.static), fact.type).values()
    return value
