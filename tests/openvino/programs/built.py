"""Builds, saves, reads and runs a model, with the names of openvino's modules in their usual forms."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import openvino
import openvino as ov
import openvino.properties.hint as hints
from openvino import Core, PartialShape, opset8, save_model
from openvino.op import Constant
from openvino.opset13 import parameter, relu
from openvino.passes import Manager
from openvino.preprocess import PrePostProcessor
from openvino.utils import replace_node

x = parameter([-1, 3], np.float32, name="x")
positive = relu(x)
model = ov.Model([opset8.add(positive, Constant(np.float32([[1, 2, 3]])))], [x], "small")
replace_node(positive, opset8.negative(x))
model.validate_nodes_and_infer_types()
Manager().run_passes(model)
steps = PrePostProcessor(model)
steps.input().preprocess().scale(2.0)
model = steps.build()
with tempfile.TemporaryDirectory() as folder:
    save_model(model, Path(folder) / "small.xml", compress_to_fp16=False)
    read = Core().read_model(Path(folder) / "small.xml")
    net = openvino.compile_model(read, "CPU", {hints.inference_precision(): ov.Type.f32})
    results = net({"x": np.float32([[2, -4, 6], [1, 1, 1]])})
print(__name__, sys.argv[1:], read.input().partial_shape == PartialShape([-1, 3]), isinstance(read, openvino.Model))
print([node.get_type_name() for node in read.get_ordered_ops()[-2:]])
print(results[0].tolist(), hints.PerformanceMode.LATENCY.name, ov.preprocess is sys.modules["openvino.preprocess"])
sys.exit(len(read.outputs))
