"""Programs in the manner of OpenVINO's documentation: each takes the module and returns nothing, or fails."""

from __future__ import annotations

import copy
import io
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.openvino import nets

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
X = np.array([[1, 2, 3]], np.float32)
Y = np.array([[2, 0, 6]], np.float32)


def _small(ov: Any, dims: str = "1,3") -> Any:
    return ov.Core().read_model(nets.small(dims).encode(), nets.SMALL_WEIGHTS)


def hello_classification(ov: Any) -> None:
    core = ov.Core()
    model = core.read_model(DIGITS / "model.xml")
    compiled = core.compile_model(model, "CPU")
    scores = compiled(np.load(DIGITS / "seven.npy"))[compiled.output(0)]
    assert int(np.argmax(scores)) == 7


def compile_a_path(ov: Any) -> None:
    compiled = ov.compile_model(DIGITS / "model.xml")
    assert compiled.input(0).get_element_type() == ov.Type.f32


def query_devices(ov: Any) -> None:
    core = ov.Core()
    for device in core.available_devices:
        assert core.get_property(device, "FULL_DEVICE_NAME")


def print_inputs_and_outputs(ov: Any) -> None:
    model = _small(ov)
    text = [f"{port.any_name} {port.partial_shape} {port.element_type.get_type_name()}" for port in model.inputs]
    assert text == ["x [1,3] f32"]
    assert [port.get_any_name() for port in model.outputs] == ["y"]


def synchronous_request(ov: Any) -> None:
    request = ov.Core().compile_model(_small(ov), "CPU").create_infer_request()
    request.set_input_tensor(ov.Tensor(X, shared_memory=True))
    request.infer()
    np.testing.assert_array_equal(request.get_output_tensor().data, Y)


def asynchronous_request(ov: Any) -> None:
    request = ov.Core().compile_model(_small(ov), "CPU").create_infer_request()
    request.start_async({"x": X})
    request.wait()
    np.testing.assert_array_equal(request.results["y"], Y)


def callback_of_a_request(ov: Any) -> None:
    request = ov.Core().compile_model(_small(ov), "CPU").create_infer_request()
    done = threading.Event()
    request.set_callback(lambda event: event.set(), done)
    request.start_async({0: X})
    request.wait()
    assert done.is_set()


def two_requests_in_turns(ov: Any) -> None:
    compiled = ov.Core().compile_model(_small(ov), "CPU")
    current, following = compiled.create_infer_request(), compiled.create_infer_request()
    results = []
    current.start_async({"x": X})
    for scale in (2, 3):
        following.start_async({"x": X * scale})
        current.wait()
        results.append(current.get_output_tensor(0).data.copy())
        current, following = following, current
    current.wait()
    np.testing.assert_array_equal(results[0], Y)


def queue_of_requests(ov: Any) -> None:
    compiled = ov.Core().compile_model(_small(ov), "CPU")
    results: dict[int, Any] = {}
    queue = ov.AsyncInferQueue(compiled, 4)
    queue.set_callback(lambda request, job: results.update({job: request.get_output_tensor().data.copy()}))
    for job in range(10):
        queue.start_async({0: X}, job)
    queue.wait_all()
    assert sorted(results) == list(range(10))


def reshape_the_batch(ov: Any) -> None:
    model = _small(ov)
    model.reshape({model.input(0): ov.PartialShape([8, 3])})
    assert list(model.output(0).shape) == [8, 3]


def dynamic_batch(ov: Any) -> None:
    model = _small(ov)
    shape = model.input().partial_shape
    shape[0] = ov.Dimension(1, 10)
    model.reshape(shape)
    compiled = ov.Core().compile_model(model, "CPU")
    for batch in (1, 4):
        assert compiled(np.ones((batch, 3), np.float32))[0].shape == (batch, 3)


def every_input_dynamic(ov: Any) -> None:
    model = _small(ov)
    shapes = {}
    for port in model.inputs:
        shapes[port] = port.partial_shape
        shapes[port][0] = -1
    model.reshape(shapes)
    assert model.is_dynamic()


def set_the_batch(ov: Any) -> None:
    model = _small(ov)
    model.get_parameters()[0].set_layout(ov.Layout("N?"))
    ov.set_batch(model, 5)
    assert ov.get_batch(model) == 5


def stateful_model(ov: Any) -> None:
    compiled = ov.Core().compile_model(ov.Core().read_model(nets.counter().encode(), nets.COUNTER_WEIGHTS), "CPU")
    request = compiled.create_infer_request()
    for state in request.query_state():
        state.reset()
    for count in range(1, 4):
        request.infer([np.ones((1, 2), np.float32)])
        np.testing.assert_array_equal(request.query_state()[0].state.data, np.full((1, 2), count))
    request.reset_state()
    np.testing.assert_array_equal(request.infer([np.ones((1, 2), np.float32)])[0], np.ones((1, 2)))


def save_and_restore_a_state(ov: Any) -> None:
    compiled = ov.Core().compile_model(ov.Core().read_model(nets.counter().encode(), nets.COUNTER_WEIGHTS), "CPU")
    request = compiled.create_infer_request()
    request.infer([np.ones((1, 2), np.float32)])
    kept = [np.copy(state.state.data) for state in request.query_state()]
    request.infer([np.ones((1, 2), np.float32)])
    for state, value in zip(request.query_state(), kept, strict=True):
        state.state = ov.Tensor(value)
    np.testing.assert_array_equal(request.infer([np.ones((1, 2), np.float32)])[0], np.full((1, 2), 2))


def tensors_of_all_kinds(ov: Any) -> None:
    array = np.ones((2, 3), np.int32)
    shared, copied = ov.Tensor(array, shared_memory=True), ov.Tensor(array)
    array[0, 0] = 9
    assert (shared.data[0, 0], copied.data[0, 0]) == (9, 1)
    assert list(ov.Tensor(ov.Type.f16, ov.Shape([1, 4])).shape) == [1, 4]
    assert ov.Tensor(np.array(["some", "texts"])).str_data.tolist() == ["some", "texts"]


def packed_tensor(ov: Any) -> None:
    tensor = ov.Tensor(np.array([0x21, 0x03], np.uint8), ov.Shape([3]), ov.Type.u4)
    assert (tensor.size, tensor.byte_size, tensor.data.tolist()) == (3, 2, [0x21, 0x03])


def build_a_model(ov: Any) -> None:
    ops = ov.opset13
    data = ops.parameter([2, 2], np.float32, name="data")
    total = ops.reduce_sum(ops.multiply(data, np.array([[2, 2], [2, 2]], np.float32)), np.array([1]), True)
    model = ov.Model([total], [data], "sum")
    np.testing.assert_array_equal(ov.compile_model(model, "CPU")(np.ones((2, 2), np.float32))[0], [[4], [4]])


def build_a_classifier(ov: Any) -> None:
    ops = ov.opset8
    image = ops.parameter([1, 1, 8, 8], ov.Type.f32, name="image")
    kernel = ops.constant(np.ones((4, 1, 3, 3), np.float32) / 9)
    features = ops.relu(ops.convolution(image, kernel, [1, 1], [1, 1], [1, 1], [1, 1]))
    pooled = ops.reduce_mean(features, ops.constant([2, 3]), keep_dims=False)
    scores = ops.softmax(ops.matmul(pooled, ops.constant(np.eye(4, dtype=np.float32)), False, False), 1)
    scores.output(0).set_names({"scores"})
    result = ov.compile_model(ov.Model([scores], [image]), "CPU")(np.ones((1, 1, 8, 8), np.float32))["scores"]
    np.testing.assert_allclose(result, np.full((1, 4), 0.25), rtol=1e-5)


def inspect_a_graph(ov: Any) -> None:
    types = [node.get_type_name() for node in _small(ov).get_ordered_ops()]
    assert types.count("Relu") == 1
    constants = [node for node in _small(ov).get_ops() if node.get_type_name() == "Constant"]
    np.testing.assert_array_equal(constants[0].data, [1, -2, 3])


def insert_a_node(ov: Any) -> None:
    model = _small(ov)
    source = model.get_parameters()[0].output(0)
    targets = source.get_target_inputs()
    doubled = ov.opset13.multiply(source, ov.opset13.constant(np.float32(2)))
    for target in targets:
        target.replace_source_output(doubled.output(0))
    model.validate_nodes_and_infer_types()
    np.testing.assert_array_equal(ov.compile_model(model, "CPU")(X)[0], [[3, 2, 9]])


def cut_a_model(ov: Any) -> None:
    model = _small(ov)
    inner = next(node for node in model.get_ops() if node.friendly_name == "sum_layer")
    part = ov.Model([inner.output(0)], model.get_parameters(), "part")
    np.testing.assert_array_equal(ov.compile_model(part, "CPU")(-X)[0], [[0, -4, 0]])


def show_an_inner_tensor(ov: Any) -> None:
    model = _small(ov)
    model.add_outputs(["sum"])
    results = ov.compile_model(model, "CPU")(-X)
    np.testing.assert_array_equal(results["sum"], [[0, -4, 0]])


def name_tensors(ov: Any) -> None:
    model = _small(ov)
    model.input(0).set_names({"pixels"})
    model.output(0).get_tensor().set_names({"scores"})
    compiled = ov.compile_model(model, "CPU")
    np.testing.assert_array_equal(compiled({"pixels": X})["scores"], Y)


def save_a_model(ov: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.xml"
        ov.save_model(_small(ov), path, compress_to_fp16=False)
        assert path.with_suffix(".bin").stat().st_size >= 12
        np.testing.assert_array_equal(ov.compile_model(path, "CPU")(X)[0], Y)


def serialize_a_model(ov: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ov.serialize(_small(ov), f"{folder}/a.xml", f"{folder}/b.bin")
        model = ov.Core().read_model(f"{folder}/a.xml", f"{folder}/b.bin")
        assert model.friendly_name == "small"


def export_a_compiled_model(ov: Any) -> None:
    core = ov.Core()
    stream = io.BytesIO()
    core.compile_model(_small(ov), "CPU").export_model(stream)
    np.testing.assert_array_equal(core.import_model(stream.getvalue(), "CPU")(X)[0], Y)


def settings_for_throughput(ov: Any) -> None:
    import importlib

    hints = (
        ov.properties.hint if ov.__name__ == "irrun.openvino" else importlib.import_module("openvino.properties.hint")
    )
    config = {hints.performance_mode: hints.PerformanceMode.THROUGHPUT}
    compiled = ov.Core().compile_model(_small(ov), "CPU", config)
    assert compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") >= 1


def settings_by_name(ov: Any) -> None:
    core = ov.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": 1})
    compiled = core.compile_model(_small(ov), "CPU", {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1"})
    assert compiled.get_property("INFERENCE_NUM_THREADS") == 1


def profile_layers(ov: Any) -> None:
    compiled = ov.Core().compile_model(_small(ov), "CPU", {"PERF_COUNT": "YES"})
    request = compiled.create_infer_request()
    request.infer({0: X})
    for item in request.get_profiling_info():
        assert item.real_time.total_seconds() >= 0


def preprocess_an_image(ov: Any) -> None:
    import importlib

    ops, preprocess = ov.opset13, importlib.import_module(f"{ov.__name__}.preprocess")
    x = ops.parameter([1, 3, 4, 4], np.float32, name="x")
    processor = preprocess.PrePostProcessor(ov.Model([ops.relu(x)], [x], "image"))
    processor.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC"))
    processor.input().preprocess().convert_element_type(ov.Type.f32).mean([10.0, 20.0, 30.0]).scale([2.0, 2.0, 2.0])
    processor.input().model().set_layout(ov.Layout("NCHW"))
    processor.output().tensor().set_element_type(ov.Type.f32)
    image = np.full((1, 4, 4, 3), 40, np.uint8)
    result = ov.compile_model(processor.build(), "CPU")(image)[0]
    np.testing.assert_allclose(result[0, :, 0, 0], [15, 10, 5])


def share_inputs(ov: Any) -> None:
    compiled = ov.compile_model(_small(ov), "CPU")
    np.testing.assert_array_equal(compiled({0: X}, share_inputs=True, share_outputs=True)[0], Y)


def results_by_port(ov: Any) -> None:
    compiled = ov.compile_model(ov.Core().read_model(nets.pair().encode(), b""), "CPU")
    results = compiled([np.array([1, 2], np.float32), np.array([3, 4], np.float32)])
    total, product = (results[port] for port in compiled.outputs)
    assert (total.tolist(), product.tolist()) == ([4, 6], [3, 8])


def clone_before_changes(ov: Any) -> None:
    model = _small(ov)
    for other in (model.clone(), copy.deepcopy(model)):
        other.reshape([4, 3])
    assert list(model.input().shape) == [1, 3]


def notes_of_a_model(ov: Any) -> None:
    model = _small(ov)
    model.set_rt_info(["cat", "dog"], ["model_info", "labels"])
    assert model.has_rt_info(["model_info", "labels"])
    assert model.get_rt_info("made_by").astype(str) == "hand"


def errors_are_runtime_errors(ov: Any) -> None:
    compiled = ov.compile_model(_small(ov), "CPU")
    for wrong in (np.zeros((1, 4), np.float32), {"z": X}):
        with pytest.raises(RuntimeError, match=r"\S"):
            compiled(wrong)


def layouts(ov: Any) -> None:
    layout = ov.Layout("[N, C, H, W]".replace(" ", ""))
    assert layout == ov.Layout("NCHW")
    assert ov.layout_helpers.height_idx(layout) == 2


SNIPPETS = [item for item in list(globals().values()) if callable(item) and getattr(item, "__module__", "") == __name__]
SNIPPETS = [item for item in SNIPPETS if not item.__name__.startswith("_")]
