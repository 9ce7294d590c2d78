"""Builders of nodes: a function for each operation of an opset, made from the declaration of the operation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from itertools import takewhile
from types import ModuleType
from typing import Any, Final

import numpy as np

from irrun.diagnostics import near_match
from irrun.openvino.exceptions import OVTypeError
from irrun.openvino.models.subgraphs import If, Loop, TensorIterator
from irrun.openvino.nodes.node import Node, make
from irrun.openvino.nodes.op import NOT_SHARED, Constant, Parameter, Result
from irrun.openvino.nodes.ports import Output, as_output
from irrun.openvino.nodes.records import attribute_value, constant_fact, element
from irrun.openvino.nodes.variables import Assign, read_value
from irrun.openvino.opsets.signatures import DEFAULTS, OLDER, signature
from irrun.openvino.opsets.signatures import Parameter as Declared
from irrun.openvino.passes.patterns import Pattern, of_type
from irrun.openvino.values.tensor import Tensor
from irrun.ops import Op
from irrun.ops.registry import find, load, spelling
from irrun.tensor import ElementType

_ALIASES: Final = {"ceil": "ceiling", "absolute": "abs"}
_SPELLED: Final = {
    "mat_mul": "matmul",
    "top_k": "topk",
    "re_lu": "relu",
    "p_re_lu": "prelu",
    "soft_max": "softmax",
    "soft_plus": "softplus",
    "soft_sign": "softsign",
    "h_swish": "hswish",
    "h_sigmoid": "hsigmoid",
    "if": "if_op",
    "is_na_n": "is_nan",
    "col2_im": "col2im",
    "erf_inv": "erfinv",
    "grouped_mat_mul": "grouped_matmul",
    "i420to_bgr": "i420_to_bgr",
    "i420to_rgb": "i420_to_rgb",
    "nv12to_bgr": "nv12_to_bgr",
    "nv12to_rgb": "nv12_to_rgb",
    "bg_rto_nv12": "bgr_to_nv12",
    "rg_bto_nv12": "rgb_to_nv12",
}
"""Builders that OpenVINO spells in another way than their operation."""

_FILL: Final = {"pads_begin": 0, "pads_end": 0, "output_padding": 0, "dilations": 1}
"""Attributes with a number for each spatial axis, and the number where the caller leaves them out."""


_FILLERS: Final = {
    ("ScaledDotProductAttention", 3): (0, 0),
    ("EmbeddingBagOffsets", 3): (1, -1),
    ("EmbeddingBagOffsetsSum", 3): (1, -1),
    ("EmbeddingSegmentsSum", 4): (1, -1),
}
"""Inputs that a caller may leave out before others: the input whose type they have, and the number for them."""


def module(opset: int) -> ModuleType:
    """Return the module with the builders of an opset, which makes each on first use."""
    spec = ModuleSpec(f"irrun.openvino.opset{opset}", None)
    made = module_from_spec(spec)
    made.__doc__ = f"Builders of the operations of opset{opset}."
    vars(made).update(__getattr__=lambda name: builder(name, opset), __dir__=lambda: names(opset))
    return made


def names(opset: int) -> list[str]:
    """Return the names of the builders of an opset."""
    from irrun.ops.operation import DECLARED

    load()
    return sorted(name(type) for type in DECLARED if find(type, f"opset{opset}") is not None)


def name(type: str) -> str:
    """Return the name of the builder of an operation: ``reduce_mean`` of ReduceMean."""
    if type == "Const":
        return "constant"
    words = "".join(
        f"_{letter.lower()}"
        if letter.isupper() and index and (type[index - 1].islower() or type[index + 1 : index + 2].islower())
        else letter.lower()
        for index, letter in enumerate(type)
    )
    return _SPELLED.get(words, words)


@functools.cache
def builder(name: str, opset: int) -> Callable[..., Node]:
    """Return the function that makes nodes of an operation; AttributeError where the opset has none of this name."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _BUILDERS:
        since, made = _BUILDERS[name]
        if opset >= since:
            return made
    version = f"opset{opset if opset > OLDER.get(name, 0) else 1}"
    type = spelling(_ALIASES.get(name, name).replace("_", ""))
    cls = None if type is None else find(type, version)
    if cls is None:
        raise AttributeError(f"opset{opset} has no {name}{near_match(name, names(opset))}")
    return _builder(name, cls, opset, version)


def _builder(title: str, cls: type[Op], opset: int, version: str) -> Callable[..., Node]:
    parameters = signature(title, cls, opset)
    formal = _formal(parameters, cls)
    declared = {item.name: item.declared for item in parameters}
    left_out = DEFAULTS.get(title, {})

    def build(*arguments: Any, **named: Any) -> Any:
        given: dict[str, Any] = {key: item for key, item in left_out.items() if cls.spec.attribute(key)}
        for key, value in formal.bind(*arguments, **named).arguments.items():
            if key in declared and declared[key] is None:
                given.update(value or {})
            elif value is not None and "," in (several := declared.get(key) or ""):
                given.update(zip(several.split(","), value, strict=True))
            elif value is not None:
                given[declared.get(key) or key] = value
        if title == "broadcast" and str(given["mode"]).lower() != "explicit":
            given.pop("axes_mapping", None)
        return _made(cls, version, given)

    build.__name__ = build.__qualname__ = title
    build.__doc__ = cls.spec.summary
    build.__signature__ = formal  # type: ignore[attr-defined]
    return build


def _formal(parameters: Sequence[Declared], cls: type[Op]) -> inspect.Signature:
    """Return the signature of a builder; the first inputs that an operation needs have no default."""
    needed = [port.name for port in cls.inputs[: cls.spec.least_inputs]][:2]
    leading = list(takewhile(lambda item: item.declared in needed, parameters))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = [inspect.Parameter(item.name, kind, default=None) for item in parameters[len(leading) :]]
    name = inspect.Parameter("name", kind, default=None)
    return inspect.Signature([*(inspect.Parameter(item.name, kind) for item in leading), *defaults, name])


def _made(cls: type[Op], version: str, given: dict[str, Any]) -> Any:
    """Return a node of an operation from its inputs and attributes by their declared names."""
    title = given.pop("name", None)
    attributes = {item.field: item for item in cls.spec.attributes} | {item.name: item for item in cls.spec.attributes}
    sources: list[Any] = []
    for port in cls.inputs:
        value = given.get(port.name)
        if port.variadic and isinstance(value, Node | Output):
            raise TypeError(f"{port.name} of {cls.type} is a list of nodes, got {value!r}")
        sources += list(value) if port.variadic and isinstance(value, list | tuple) else [value]
    while sources and sources[-1] is None:
        sources.pop()
    for index in (index for index, source in enumerate(sources) if source is None):
        if (cls.type, index) in _FILLERS:
            like, number = _FILLERS[cls.type, index]
            sources[index] = np.array(number, as_output(sources[like]).fact.type.external)
    if any(source is None for source in sources) or len(sources) < cls.spec.least_inputs:
        raise OVTypeError(f"{cls.type}: an input is missing")
    values = {
        attributes[key].field: attribute_value(attributes[key], item)
        for key, item in given.items()
        if key in attributes
    }
    axes = len(values["strides"]) if isinstance(values.get("strides"), tuple) else 0
    for key, number in _FILL.items():
        if axes and key in attributes and key not in values:
            values[key] = (number,) * axes
    if any(isinstance(source, Pattern) for source in sources):
        return of_type(cls.type, [as_output(item) if isinstance(item, Node | Output) else item for item in sources])
    known = {port.name for port in cls.inputs} | set(attributes)
    for key in given:
        if key not in known:
            raise RuntimeError(f"{cls.type} has no attribute {key!r}{near_match(key, known)}")
    return make(cls.type, version, _outputs(sources, title), values, title)


def _outputs(values: list[Any], title: str | None = None) -> list[Output]:
    """Return the outputs that feed inputs; numbers, lists and arrays become constants of their NumPy type."""
    return [as_output(value if isinstance(value, Node | Output) else _constant(value, title)) for value in values]


def _constant(value: Any, title: str | None) -> Constant:
    if np.asarray(value).dtype.kind not in "biuf":
        raise OVTypeError(f"an input is a node, an array or numbers, got {value!r}")
    made = Constant(value)
    if title is not None:
        made.friendly_name = f"{title}/{made.friendly_name}"
    return made


def parameter(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Parameter:
    """Return an input of a model."""
    return Parameter(_type(dtype), shape, name=name)


def constant(value: Any, dtype: Any = None, name: str | None = None, *, shared_memory: bool = False) -> Constant:
    """Return a constant of an array, list, number or Tensor, in its own type or the given one.

    With ``shared_memory`` it has the values that an array has at any time, if they need no conversion.
    """
    if value is None:
        raise ValueError("a constant is made of an array, a list, a number or a Tensor, got None")
    shared = shared_memory or (isinstance(value, Tensor) and dtype is True)
    if isinstance(value, np.ndarray) and shared and not value.flags.c_contiguous:
        raise RuntimeError(NOT_SHARED)
    array = value if isinstance(value, np.ndarray | Tensor) else np.asarray(value)
    type = None if dtype is None or isinstance(dtype, bool) else _type(dtype)
    return Constant.of_fact(constant_fact(array, type, shared=shared), name)


def _type(dtype: Any) -> ElementType:
    """Return the type of a Type or of a Python or NumPy type; TypeError for a text."""
    if isinstance(dtype, str):
        raise TypeError(f"a type is a Type or a NumPy type, got {dtype!r}; types by name are attributes, as Type.f32")
    return element(dtype)


def result(data: Any, name: str | None = None) -> Result:
    """Return an output of a model."""
    return Result(_outputs([data], name)[0], name=name)


_BUILDERS: Final[dict[str, tuple[int, Callable[..., Node]]]] = {
    "parameter": (1, parameter),
    "constant": (1, constant),
    "result": (1, result),
    "if_op": (8, If),
    "loop": (5, Loop),
    "tensor_iterator": (1, TensorIterator),
    "read_value": (6, read_value),
    "assign": (6, Assign),
}
"""Builders that are not made from the declaration, and the opset from which on there is one."""

__all__ = ["builder", "module", "name", "names"]
