"""Puts the steps of the caller before and behind a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from irrun.openvino.models.model import Model
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output, find_port
from irrun.openvino.preprocess.flow import ColorFormat, Flow, order_of
from irrun.openvino.preprocess.steps import PostProcessSteps, PreProcessSteps
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.layout import Layout
from irrun.openvino.values.shapes import PartialShape, as_dims, of_dims
from irrun.openvino.values.tensor import Tensor
from irrun.openvino.values.types import Type, element_of
from irrun.tensor import Dim, ElementType, Shape

_ONE_PLANE = {ColorFormat.NV12_SINGLE_PLANE, ColorFormat.I420_SINGLE_PLANE}
_CHANNELS = {ColorFormat.NV12_TWO_PLANES: (1, 2), ColorFormat.I420_THREE_PLANES: (1, 1, 1)}
"""The channels of each plane that is an input of its own; those after the first have half the height and width."""


_OF_PIXEL = {ColorFormat.RGBX: 4, ColorFormat.BGRX: 4, ColorFormat.RGB: 3, ColorFormat.BGR: 3}
"""The channels of each pixel."""


class _Laid:
    """The layout of a tensor."""

    def __init__(self) -> None:
        self.layout = Layout()

    def set_layout(self, layout: Any) -> Self:
        """Set the names of the axes."""
        self.layout = Layout(layout) if isinstance(layout, str) else layout
        return self


class InputModelInfo(_Laid):
    """The tensor that the model expects."""


class OutputModelInfo(_Laid):
    """The tensor that the model returns."""


class OutputTensorInfo(_Laid):
    """The tensor that the caller receives."""

    def __init__(self) -> None:
        super().__init__()
        self.type: ElementType | None = None

    def set_element_type(self, type: Type) -> Self:
        """Set the type of the elements; TypeError for anything but a Type."""
        if not isinstance(type, Type):
            raise TypeError(f"an element type is a Type, got {type!r}")
        self.type = type.element
        return self


class InputTensorInfo(OutputTensorInfo):
    """The tensor that the caller passes."""

    def __init__(self) -> None:
        super().__init__()
        self.shape: Shape | None = None
        self.spatial: tuple[Dim, Dim] | None = None
        self.color: ColorFormat | None = None
        self.sub_names: tuple[str, ...] = ()
        self.memory = ""

    def set_shape(self, shape: PartialShape | Sequence[int]) -> Self:
        """Set the shape; TypeError for a text."""
        if isinstance(shape, str):
            raise TypeError(f"a shape is a PartialShape or a list, got {shape!r}")
        self.shape = as_dims(shape)
        return self

    def set_spatial_static_shape(self, height: int, width: int) -> Self:
        """Set the height and width of the image."""
        self.spatial = Dim.exactly(height), Dim.exactly(width)
        return self

    def set_spatial_dynamic_shape(self) -> Self:
        """Allow any height and width of the image."""
        self.spatial = Dim(), Dim()
        return self

    def set_color_format(self, format: ColorFormat, sub_names: Any = ()) -> Self:
        """Set the channels of the image, and names for planes that are inputs of their own."""
        names, planes = tuple(sub_names), len(_CHANNELS.get(format, (1,)))
        if names and len(names) != planes:
            raise RuntimeError(f"{format.name} has {planes} planes, got {len(names)} names")
        self.color, self.sub_names = format, names
        return self

    def set_memory_type(self, memory_type: str) -> Self:
        """Note a kind of memory on the input; there is one, that of the CPU."""
        self.memory = memory_type
        return self

    def set_from(self, tensor: Any) -> Self:
        """Take the element type and the shape of a Tensor or an array."""
        if isinstance(tensor, Tensor):
            self.type, self.shape = tensor.element_type.element, Shape(tensor.shape)
        else:
            array = np.asarray(tensor)
            self.type, self.shape = element_of(array.dtype), Shape(array.shape)
        return self


class OutputInfo:
    """An output: what the model makes, the steps behind it, and what the caller receives."""

    def __init__(self) -> None:
        self._model, self._steps, self._tensor = OutputModelInfo(), PostProcessSteps(), OutputTensorInfo()

    def model(self) -> OutputModelInfo:
        """Return the description of what the model makes."""
        return self._model

    def postprocess(self) -> PostProcessSteps:
        """Return the steps behind the model."""
        return self._steps

    def tensor(self) -> OutputTensorInfo:
        """Return the description of what the caller receives."""
        return self._tensor


class InputInfo:
    """An input: what the caller passes, the steps before the model, and what the model takes."""

    def __init__(self) -> None:
        self._model, self._steps, self._tensor = InputModelInfo(), PreProcessSteps(), InputTensorInfo()

    def model(self) -> InputModelInfo:
        """Return the description of what the model takes."""
        return self._model

    def preprocess(self) -> PreProcessSteps:
        """Return the steps before the model."""
        return self._steps

    def tensor(self) -> InputTensorInfo:
        """Return the description of what the caller passes."""
        return self._tensor


class PrePostProcessor:
    """Collects the steps for the inputs and outputs of a model, and builds them into it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._inputs = [InputInfo() for _ in model.inputs]
        self._outputs = [OutputInfo() for _ in model.outputs]

    @also_named("key", "input_index", "tensor_name")
    def input(self, key: int | str | None = None) -> InputInfo:
        """Return an input by index or tensor name, or the only one; RuntimeError where there is none."""
        return self._inputs[_index(self._model.inputs, key, "input")]

    @also_named("key", "output_index", "tensor_name")
    def output(self, key: int | str | None = None) -> OutputInfo:
        """Return an output by index or tensor name, or the only one; RuntimeError where there is none."""
        return self._outputs[_index(self._model.outputs, key, "output")]

    def build(self) -> Model:
        """Build the steps into the model and return it; RuntimeError where they do not fit."""
        for parameter, info in zip(self._model.parameters, self._inputs, strict=True):
            _before(self._model, parameter, info)
        for result, output in zip(self._model.results, self._outputs, strict=True):
            _behind(result, output)
        self._model.validate_nodes_and_infer_types()
        return self._model

    def __repr__(self) -> str:
        inputs = (_text("Input", port, info) for port, info in zip(self._model.inputs, self._inputs, strict=True))
        outputs = (_text("Output", port, info) for port, info in zip(self._model.outputs, self._outputs, strict=True))
        return "\n".join((*inputs, *outputs))


def _text(what: str, port: Output, info: InputInfo | OutputInfo) -> str:
    """Return a description of the tensors at an end of a model, and of the steps between them."""
    steps = info.preprocess() if isinstance(info, InputInfo) else info.postprocess()
    inner, outer = info.model().layout, info.tensor().layout
    name = "Pre" if isinstance(info, InputInfo) else "Post"
    last = inner if isinstance(info, InputInfo) else outer
    implicit = [f"convert layout {last}"] if inner != outer and not (inner.empty or outer.empty) else []
    given = info.tensor().type if info.tensor().type is not None else port.fact.type
    lines = [f'{what} "{port.node.friendly_name}":', f"    User's tensor: {outer}, {given}"]
    lines.append(f"    Model's tensor: {of_dims(port.fact.shape)}, {inner}, {port.fact.type}")
    for title, found in (
        (f"{name}-processing", steps.titles),
        (f"Implicit {name.lower()}-processing", [] if steps.has_layout or steps.layout else implicit),
    ):
        if found:
            lines += [f"    {title} steps ({len(found)}):", *(f"      {item}:" for item in found)]
    return "\n".join(lines)


def _index(ports: list[Output], key: int | str | None, what: str) -> int:
    try:
        return ports.index(find_port(ports, key, what))
    except IndexError as error:
        raise RuntimeError(str(error)) from None


def _before(model: Model, parameter: Parameter, info: InputInfo) -> None:
    """Put a new Parameter and the steps before the consumers of one of the model."""
    fact = parameter.fact(0)
    declared = info.model().layout if not info.model().layout.empty else parameter.layout
    inner = declared if not declared.empty else info.preprocess().layout or declared
    outer = info.tensor().layout
    has_planes = info.tensor().color in _ONE_PLANE or info.tensor().color in _CHANNELS
    if outer.empty and (has_planes or (info.tensor().color is not None and inner.empty)):
        outer = Layout("NHWC")
    type = info.tensor().type or fact.type
    shape = _shape_of(info, fact.shape, inner, outer)
    made = [Parameter(type, part, name=parameter.friendly_name) for part in _parts(shape, info.tensor().color)]
    given = info.tensor().sub_names
    for number, item in enumerate(made):
        suffix = "" if len(made) == 1 else f"/{given[number] if given else number}"
        item.set_friendly_name(parameter.friendly_name + suffix)
        if given or len(made) == 1:
            Output(item, 0).set_names({name + suffix for name in Output(parameter, 0).names})
        item.set_layout(outer if not outer.empty else declared)
        if info.tensor().memory:
            Output(item, 0).set_rt_info(info.tensor().memory, "memory_type")
    port, *planes = (Output(item, 0) for item in made)
    flow = Flow(
        port, outer if not outer.empty else inner, inner, info.tensor().color, _sizes(fact.shape, inner), planes
    )
    for step in info.preprocess().steps:
        step(flow)
    if flow.planes:
        raise RuntimeError(f'input "{parameter.friendly_name}" has planes; convert_color makes one image of them')
    if flow.output.fact.type is not fact.type:
        flow.apply("Convert", destination_type=fact.type)
    if not flow.layout.empty and not inner.empty and flow.layout != inner and not info.preprocess().has_layout:
        flow.arrange(inner)
    if not flow.output.fact.shape.compatible(fact.shape):
        got = flow.output.fact.shape
        raise RuntimeError(f'input "{parameter.friendly_name}" is {got} after its steps, expected {fact.shape}')
    for target in Output(parameter, 0).target_inputs:
        target.replace_source_output(flow.output)
    model.replace_parameter(model.get_parameter_index(parameter), made[0])
    if made[1:]:
        model.insert_parameters(model.get_parameter_index(made[0]) + 1, made[1:])


def _shape_of(info: InputInfo, shape: Shape, inner: Layout, outer: Layout) -> Shape:
    """Return the shape that the caller passes, before the steps."""
    tensor = info.tensor()
    if tensor.shape is not None:
        return tensor.shape
    if shape.dims is None:
        if tensor.spatial is not None:
            raise RuntimeError("the rank of the tensor is dynamic, so it has no height and width: set_shape sets it")
        return shape
    dims = list(shape.dims)
    order = info.preprocess().order
    if order is not None and inner.empty and len(order) == len(dims):
        dims = [dims[order.index(axis)] for axis in range(len(dims))]
    elif not outer.empty and not inner.empty:
        dims = [dims[axis] for axis in order_of(inner, outer, len(dims))]
    if tensor.color in _OF_PIXEL and outer.has_name("C"):
        dims[outer.get_index_by_name("C")] = Dim.exactly(_OF_PIXEL[tensor.color])
    if tensor.spatial is not None:
        layout = outer if not outer.empty else inner
        if not layout.has_name("H") or not layout.has_name("W"):
            raise RuntimeError(f"the layout {layout} has no height and width; set_layout names the axes")
        for name, dim in zip("HW", tensor.spatial, strict=True):
            dims[layout.get_index_by_name(name)] = dim
    return Shape(dims)


def _parts(shape: Shape, color: ColorFormat | None) -> list[Shape]:
    """Return the shape of each input for an image: one, unless its planes are inputs of their own."""
    if color in _ONE_PLANE:
        batch, height, width, _ = shape
        return [Shape([batch, (height * 3) // 2, width, Dim.exactly(1)])]
    if color not in _CHANNELS:
        return [shape]
    batch, height, width, _ = shape
    first, *others = _CHANNELS[color]
    halves = [Shape([batch, height // 2, width // 2, Dim.exactly(channels)]) for channels in others]
    return [Shape([batch, height, width, Dim.exactly(first)]), *halves]


def _sizes(shape: Shape, layout: Layout) -> tuple[int, ...]:
    """Return the height and width of the model's input; none where they are not known."""
    if shape.dims is None or not layout.has_name("H") or not layout.has_name("W"):
        return ()
    dims = [shape[layout.get_index_by_name(name)] for name in "HW"]
    return tuple(dim.lo for dim in dims) if all(dim.is_static for dim in dims) else ()


def _behind(result: Result, info: OutputInfo) -> None:
    """Put steps between a Result and what feeds it; the names move to the last of them."""
    source = result.input_value(0)
    inner = info.model().layout if not info.model().layout.empty else result.layout
    outer = info.tensor().layout
    flow = Flow(source, inner, outer, has_type=info.tensor().type is not None)
    for step in info.postprocess().steps:
        step(flow)
    wanted = info.tensor().type
    if wanted is not None and flow.output.fact.type is not wanted:
        flow.apply("Convert", destination_type=wanted)
    if not flow.layout.empty and not outer.empty and flow.layout != outer:
        flow.arrange(outer)
    result.set_layout(outer if not outer.empty else inner)
    if flow.output == source:
        return
    names = source.names
    source.set_names(())
    flow.output.set_names(names)
    result.set_argument(0, flow.output)
    result.validate_and_infer_types()
