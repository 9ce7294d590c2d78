"""Puts the steps of the caller before and behind a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from irrun.openvino.models.model import Model
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output, find_port
from irrun.openvino.preprocess.flow import ColorFormat, Flow, added_names, axis_of, described, order_of, permuted
from irrun.openvino.preprocess.steps import PostProcessSteps, PreProcessSteps, Step, as_color, as_layout
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.layout import Layout
from irrun.openvino.values.shapes import PartialShape, as_dims
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
        self.layout = as_layout(layout)
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
        self.memory: str = ""

    def set_shape(self, shape: PartialShape | Sequence[int]) -> Self:
        """Set the shape; TypeError for a text."""
        if isinstance(shape, str):
            raise TypeError(f"a shape is a PartialShape or a list, got {shape!r}")
        self.shape = as_dims(shape)
        return self

    def set_spatial_static_shape(self, height: int, width: int) -> Self:
        """Set the height and width of the image; TypeError for a negative one."""
        if min(height, width) < 0:
            raise TypeError(f"a height and a width are not negative, got {height} and {width}")
        self.spatial = Dim.exactly(height), Dim.exactly(width)
        return self

    def set_spatial_dynamic_shape(self) -> Self:
        """Allow any height and width of the image."""
        self.spatial = Dim(), Dim()
        return self

    def set_color_format(self, format: ColorFormat, sub_names: Any = ()) -> Self:
        """Set the channels of the image, and names for planes that are inputs of their own."""
        names, planes = tuple(sub_names), len(_CHANNELS.get(as_color(format), (1,)))
        if names and len(names) != planes:
            raise RuntimeError(f"{format.name} has {planes} planes, got {len(names)} names")
        self.color, self.sub_names = format, names
        return self

    def set_memory_type(self, memory_type: str) -> Self:
        """Note a kind of memory on the input; there is one, that of the CPU."""
        if not isinstance(memory_type, str):
            raise TypeError(f"a kind of memory is a text, got {memory_type!r}")
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
            _insert_before(self._model, parameter, info)
        for result, output in zip(self._model.results, self._outputs, strict=True):
            _insert_after(result, output)
        self._model.validate_nodes_and_infer_types()
        return self._model

    def __repr__(self) -> str:
        inputs = zip(self._model.parameters, self._inputs, strict=True)
        outputs = zip(self._model.results, self._outputs, strict=True)
        lines = [line for parameter, info in inputs for line in _input_text(parameter, info)]
        lines += [line for result, output in outputs for line in _output_text(result, output)]
        return "".join(f"{line}\n" for line in lines)


def _input_text(parameter: Parameter, info: InputInfo) -> Iterator[str]:
    """Yield the lines about an input and its steps; none where the caller passes what the model takes."""
    made, flow = _input_flow(parameter, info)
    fact, steps, memory = parameter.fact(0), info.preprocess().steps, info.tensor().memory
    given = described(flow.output.fact, flow.layout)
    if not (steps or memory or flow.colors) and given == described(fact, parameter.layout):
        return
    color = f" (color {flow.colors})" if flow.colors else ""
    yield f'Input "{_tensor_name(Output(parameter, 0))}"{color}{f" memory type={memory}" if memory else ""}:'
    if len(made) == 1:
        yield f"    User's input tensor: {given}"
    else:
        yield f"    {len(made)} user's tensors expected for each plane:"
        for index, item in enumerate(made):
            name = f"{_tensor_name(Output(item, 0))} " if info.tensor().sub_names else ""
            yield f"       {index}: {name}{described(item.fact(0), flow.layout)}"
    yield f"    Model's expected tensor: {described(fact, flow.layout if flow.wanted.empty else flow.wanted)}"
    yield from _step_texts("Pre-processing steps", flow, steps)
    yield from _step_texts("Implicit pre-processing steps", flow, _implicit_steps(flow))


def _output_text(result: Result, info: OutputInfo) -> Iterator[str]:
    """Yield the lines about an output and its steps; none where the caller receives what the model returns."""
    source = result.input_value(0)
    flow = _output_flow(Output(Parameter(source.fact.type, source.fact.shape), 0), result, info)
    tensor = flow.state
    lines = _step_texts("Post-processing steps", flow, info.postprocess().steps)
    lines += _step_texts("Post-processing implicit steps", flow, _implicit_steps(flow))
    if lines:
        yield f'Output "{_tensor_name(source, result)}":'
        yield from (f"    Model's data tensor: {tensor}", *lines, f"    User's output tensor: {flow.state}")


def _tensor_name(port: Output, node: Node | None = None) -> str:
    """Return a name of a tensor, or that of a node where the tensor has none."""
    return port.any_name if port.names else (node if node is not None else port.node).friendly_name


def _step_texts(title: str, flow: Flow, steps: Iterable[Step]) -> list[str]:
    """Apply steps to a flow; return a heading and a line for each of them. A step that fails is the last one."""
    lines = []
    for text, step in steps:
        before = flow.state
        try:
            step(flow)
        except RuntimeError as error:
            lines.append(f"      {text}: ({before}) -> {error}")
            break
        lines.append(f"      {text}: ({before}) -> ({flow.state})")
    return [f"    {title} ({len(lines)}):", *lines] if lines else []


def _index(ports: list[Output], key: int | str | None, what: str) -> int:
    try:
        return ports.index(find_port(ports, key, what))
    except IndexError as error:
        raise RuntimeError(str(error)) from None


def _input_flow(parameter: Parameter, info: InputInfo) -> tuple[list[Parameter], Flow]:
    """Return Parameters for what the caller passes in place of one of the model, and the flow that begins at them."""
    fact, color, given = parameter.fact(0), info.tensor().color, info.tensor().sub_names
    declared = info.model().layout if not info.model().layout.empty else parameter.layout
    outer = info.tensor().layout
    inner = _reached(outer, info.preprocess()) if declared.empty else declared
    if outer.empty and color not in (None, ColorFormat.UNDEFINED):
        outer = Layout("NHWC")
    type = info.tensor().type or fact.type
    shape = _shape_of(info, fact.shape, inner, outer)
    layout = outer
    if outer.empty:
        layout = inner
        for order in reversed(info.preprocess().orders):
            layout = permuted(layout, np.argsort(order).tolist())
    made = [Parameter(type, part, name=parameter.friendly_name) for part in _parts(shape, color)]
    for number, item in enumerate(made):
        suffix = "" if len(made) == 1 else f"/{given[number] if given else number}"
        item.set_friendly_name(parameter.friendly_name + suffix)
        if given or len(made) == 1:
            Output(item, 0).set_names({name + suffix for name in Output(parameter, 0).names})
        item.get_rt_info().update(parameter.get_rt_info())
        Output(item, 0).get_rt_info().update(Output(parameter, 0).get_rt_info())
        item.set_layout(layout)
        if info.tensor().memory:
            Output(item, 0).set_rt_info(info.tensor().memory, "memory_type_0")
    port, *planes = (Output(item, 0) for item in made)
    sizes = _sizes(fact.shape, inner if not inner.empty else outer)
    return made, Flow(port, layout, inner, fact.type, color, sizes, planes, adds_axes=True)


def _reached(layout: Layout, steps: PreProcessSteps) -> Layout:
    """Return the layout that a tensor has after the steps of the caller; none where it has none before."""
    if layout.empty:
        return layout
    for target in steps.targets:
        layout = target if isinstance(target, Layout) else permuted(layout, target)
    return layout


def _implicit_steps(flow: Flow) -> Iterator[Step]:
    """Yield the steps to the element type and the layout of the other end, after those of the caller."""
    if flow.type is not None and flow.output.fact.type is not flow.type:
        yield f"convert type ({flow.type})", lambda flow: flow.convert(flow.type)
    if not flow.wanted.empty and flow.layout != flow.wanted:
        yield f"convert layout {flow.wanted}", lambda flow: flow.arrange(flow.wanted)


def _insert_before(model: Model, parameter: Parameter, info: InputInfo) -> None:
    """Put a new Parameter and the steps before the consumers of one of the model."""
    fact = parameter.fact(0)
    made, flow = _input_flow(parameter, info)
    for _, step in info.preprocess().steps:
        step(flow)
    if flow.planes:
        raise RuntimeError(f'input "{parameter.friendly_name}" has planes; convert_color makes one image of them')
    if flow.color in (ColorFormat.RGBX, ColorFormat.BGRX):
        what = f'input "{parameter.friendly_name}" is {flow.colors} after its steps, expected RGB, BGR or GRAY'
        raise RuntimeError(f"{what}; convert_color converts it")
    for _, step in _implicit_steps(flow):
        step(flow)
    if not flow.output.fact.shape.compatible(fact.shape):
        got = flow.output.fact.shape
        raise RuntimeError(f'input "{parameter.friendly_name}" is {got} after its steps, expected {fact.shape}')
    for target in Output(parameter, 0).target_inputs:
        target.replace_source_output(flow.output)
    names = Output(made[0], 0).names
    model.replace_parameter(model.get_parameter_index(parameter), made[0])
    if made[1:]:
        Output(made[0], 0).set_names(names)
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
    if outer.empty or inner.empty or outer == inner:
        for order in reversed(info.preprocess().orders):
            dims = _undone(order, dims)
    else:
        dims = _dims_of(dims, inner, outer)
    if tensor.color in _OF_PIXEL and outer.has_name("C"):
        dims[axis_of(outer, "C", len(dims))] = Dim.exactly(_OF_PIXEL[tensor.color])
    if tensor.spatial is not None:
        layout = outer if not outer.empty else inner
        if not layout.has_name("H") or not layout.has_name("W"):
            raise RuntimeError(f"the layout {layout} has no height and width; set_layout names the axes")
        for name, dim in zip("HW", tensor.spatial, strict=True):
            dims[axis_of(layout, name, len(dims))] = dim
    return Shape(dims)


def _dims_of(dims: list[Dim], inner: Layout, outer: Layout) -> list[Dim]:
    """Return the sizes that the caller passes for those of the model; the caller may leave axes out."""
    left_out = added_names(outer, inner)
    kept = [axis for axis, name in enumerate(inner.names) if name not in left_out] if left_out else range(len(dims))
    if left_out and len(inner.names) != len(dims):
        raise RuntimeError(f"the layout {inner} does not fit a tensor of rank {len(dims)}")
    shorter = Layout(f"[{','.join(inner.names[axis] for axis in kept)}]") if left_out else inner
    return [dims[kept[axis]] for axis in order_of(shorter, outer, len(kept))]


def _undone(order: Sequence[int], dims: Sequence[Dim]) -> list[Dim]:
    """Return the sizes whose reordering gives these; RuntimeError for another number of axes."""
    if sorted(order) != list(range(len(dims))):
        raise RuntimeError(f"{list(order)} is not an order of {len(dims)} axes")
    return [dims[order.index(axis)] for axis in range(len(dims))]


def _parts(shape: Shape, color: ColorFormat | None) -> list[Shape]:
    """Return the shape of each input for an image: one, unless its planes are inputs of their own."""
    if color not in _ONE_PLANE and color not in _CHANNELS:
        return [shape]
    if shape.rank != 4:
        raise RuntimeError(f"an image in planes has 4 axes, got shape {shape}")
    if color in _ONE_PLANE:
        batch, height, width, _ = shape
        return [Shape([batch, (height * 3) // 2, width, Dim.exactly(1)])]
    batch, height, width, _ = shape
    first, *others = _CHANNELS[color]
    halves = [Shape([batch, height // 2, width // 2, Dim.exactly(channels)]) for channels in others]
    return [Shape([batch, height, width, Dim.exactly(first)]), *halves]


def _sizes(shape: Shape, layout: Layout) -> tuple[int, ...]:
    """Return the height and width of the model's input; none where they are not known."""
    if shape.dims is None or not layout.has_name("H") or not layout.has_name("W"):
        return ()
    dims = [shape[axis_of(layout, name, len(shape.dims))] for name in "HW"]
    return tuple(dim.lo for dim in dims) if all(dim.is_static for dim in dims) else ()


def _output_flow(source: Output, result: Result, info: OutputInfo) -> Flow:
    """Return the flow from what feeds a Result to the caller."""
    inner = info.model().layout if not info.model().layout.empty else result.layout
    return Flow(source, inner, info.tensor().layout, info.tensor().type)


def _insert_after(result: Result, info: OutputInfo) -> None:
    """Put steps between a Result and what feeds it; the names move to the last of them."""
    source = result.input_value(0)
    flow = _output_flow(source, result, info)
    inner = flow.layout
    for _, step in info.postprocess().steps:
        step(flow)
    for _, step in _implicit_steps(flow):
        step(flow)
    layout = flow.wanted if not flow.wanted.empty else inner
    if flow.output != source:
        names = Output(result, 0).names
        result.set_argument(0, flow.output)
        source.set_names(source.names - names)
        Output(result, 0).set_names(names)
        result.validate_and_infer_types()
    result.set_layout(layout)
