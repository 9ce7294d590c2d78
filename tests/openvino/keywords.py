"""Checks of calls with arguments by name, as OpenVINO's reference names them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.editing import built
from tests.openvino.graphs import F, x
from tests.openvino.models import pair, small
from tests.openvino.running import A, B, X, compiled, two


def _tensors(ov: Any) -> Any:
    request = two(ov).create_infer_request()
    request.set_tensor(name="a", tensor=ov.Tensor(A))
    request.set_tensor(port=request.model_inputs[1], tensor=ov.Tensor(B))
    request.infer()
    first = request.get_tensor(name="sum").data.copy()
    request.set_input_tensors(inputs={0: ov.Tensor(B)})
    request.set_output_tensors(outputs={})
    request.infer(inputs=None, share_inputs=False, share_outputs=False)
    return [first, request.get_tensor(port=request.model_outputs[0]).data]


def _reshaped(ov: Any, **shapes: Any) -> Any:
    model = small(ov)
    model.reshape(**shapes)
    return model.output(index=0).shape


def _nodes(ov: Any) -> Any:
    model = small(ov)
    node = model.get_result().input_value(0).get_node()
    node.input(input_index=0).replace_source_output(new_source_output=model.input(tensor_name="x").get_node().output(0))
    model.validate_nodes_and_infer_types()
    return [node.output(output_index=0).shape, ov.compile_model(model, "CPU")(X)[0]]


def _indices(ov: Any) -> Any:
    model = pair(ov)
    return [
        model.get_parameter_index(parameter=model.get_parameters()[1]),
        model.get_result_index(result=model.get_results()[1]),
        model.get_result_index(value=model.output(0)),
    ]


def _copied(ov: Any) -> Any:
    one, other = ov.Tensor(ov.Type.f32, ov.Shape([2])), ov.Tensor(ov.Type.f32, ov.Shape([2]))
    one.copy_from(source_tensor=ov.Tensor(A))
    one.copy_to(target_tensor=other)
    return other.data


def _evaluated(ov: Any) -> Any:
    out = [ov.Tensor(ov.Type.f32, ov.Shape([1, 3]))]
    done = small(ov).evaluate(output_tensors=out, input_tensors=[ov.Tensor(X)])
    node = ov.opset13.relu(x(ov))
    other = [ov.Tensor(ov.Type.f32, ov.Shape([2]))]
    return [done, out[0].data, node.evaluate(output_values=other, input_values=[ov.Tensor(A)]), other[0].data]


def _prepared(ov: Any) -> Any:
    pp, parameter = import_module(f"{ov.__name__}.preprocess"), x(ov, (1, 3, 6, 8))
    ppp = pp.PrePostProcessor(model=ov.Model([ov.opset13.relu(parameter)], [parameter], "m"))
    ppp.input(input_index=0).tensor().set_layout(layout=ov.Layout(layout_str="NHWC"))
    ppp.input(input_index=0).tensor().set_spatial_static_shape(height=12, width=10)
    ppp.input().model().set_layout(layout=ov.Layout("NCHW"))
    steps = ppp.input().preprocess().resize(alg=pp.ResizeAlgorithm.RESIZE_LINEAR)
    steps.mean(value=1.0).scale(values=[1.0, 2.0, 4.0]).convert_layout(dst_layout=ov.Layout("NCHW"))
    ppp.output(output_index=0).tensor().set_element_type(type=ov.Type.f64)
    model = ppp.build()
    return [[port.shape, port.element_type] for port in (*model.inputs, *model.outputs)]


def _parameter(ov: Any) -> Any:
    node = x(ov)
    node.set_element_type(element_type=ov.Type.i32)
    node.set_partial_shape(partial_shape=ov.PartialShape([3, 4]))
    return [node.get_element_type(), node.get_partial_shape()]


def _properties(ov: Any) -> Any:
    core = ov.Core()
    core.set_property(device_name="CPU", properties={"NUM_STREAMS": 2})
    core.set_property("CPU", ov.properties.hint.num_requests(2))
    core.set_property(properties={"NUM_STREAMS": 2})
    net = core.compile_model(model=small(ov), device_name="CPU", config={})
    return [core.get_property(device_name="CPU", property="NUM_STREAMS"), net.get_property(property="NUM_STREAMS")]


KEYWORDS: dict[str, Check] = {
    "tensors": _tensors,
    "reshape by shape": lambda ov: _reshaped(ov, partial_shape=[2, 3]),
    "reshape by shapes": lambda ov: _reshaped(ov, partial_shapes={"x": [2, 3]}),
    "reshape by a wrong name": lambda ov: _reshaped(ov, shape=[2, 3]),
    "nodes": _nodes,
    "indices": _indices,
    "copies": _copied,
    "evaluate": _evaluated,
    "preprocessing": _prepared,
    "parameter": _parameter,
    "properties": _properties,
    "ports of compiled": lambda ov: [compiled(ov).input(index=0).shape, compiled(ov).output(tensor_name="y").shape],
    "dimension": lambda ov: [
        ov.Dimension(dimension=3),
        ov.Dimension(min_dimension=2, max_dimension=4),
        ov.Dimension(str="2..4"),
        ov.Dimension(2, 4).compatible(dim=ov.Dimension(3)),
    ],
    "shape": lambda ov: [ov.Shape(axis_lengths=[1, 2]), ov.PartialShape([1]).compatible(shape=ov.PartialShape([1]))],
    "layout": lambda ov: [
        ov.Layout("NCHW").has_name(dimension_name="C"),
        ov.Layout("NCHW").get_index_by_name(dimension_name="C"),
    ],
    "tensor": lambda ov: [
        ov.Tensor(array=A, shared_memory=False).data,
        ov.Tensor(type=ov.Type.f32, shape=ov.Shape([2])).shape,
        ov.Tensor(array=A, shape=ov.Shape([1, 2]), type=ov.Type.f32).shape,
    ],
    "model": lambda ov: ov.Model(results=[ov.opset13.relu(p := x(ov))], parameters=[p], name="named").friendly_name,
    "notes": lambda ov: (lambda m: [m.set_rt_info(obj="v", path="k"), m.get_rt_info(path="k").value])(built(ov)),
    "queue": lambda ov: len(ov.AsyncInferQueue(model=compiled(ov), jobs=2)),
    "save": lambda ov: callable(ov.save_model),
    "batch": lambda ov: ov.get_batch(model=_laid_out(ov)),
    "set batch": lambda ov: (lambda m: [ov.set_batch(model=m, batch_size=4), m.input().shape])(_laid_out(ov)),
    "constant": lambda ov: ov.op.Constant(type=ov.Type.f32, shape=ov.Shape([2]), values=[1.0, 2.0]).data,
    "builder": lambda ov: ov.opset13.constant(value=[1, 2], dtype=np.int32, name="c").friendly_name,
    "builder of parameter": lambda ov: ov.opset13.parameter(shape=[1, 2], dtype=F, name="p").friendly_name,
}


def _laid_out(ov: Any) -> Any:
    parameter = x(ov, (1, 2))
    parameter.set_layout(layout=ov.Layout("NC"))
    return ov.Model([ov.opset13.relu(parameter)], [parameter], "m")


CHECKS: dict[str, Check] = {f"keyword, {name}": check for name, check in KEYWORDS.items()}
