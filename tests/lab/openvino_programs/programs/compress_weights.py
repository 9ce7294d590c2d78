"""Compresses the weights of a model with nncf to 8 and to 4 bits: ``compress_weights.py FOLDER``."""

import sys

import nncf
import numpy as np
import openvino as ov

folder = sys.argv[1]
core = ov.Core()
inputs = np.random.default_rng(0).standard_normal((4, 256), dtype=np.float32)
for mode in ("INT8_ASYM", "INT8_SYM", "INT4_SYM", "INT4_ASYM"):
    options = {} if mode.startswith("INT8") else {"group_size": 64, "ratio": 1.0}
    model = core.read_model(f"{folder}/products.xml")
    model = nncf.compress_weights(model, mode=getattr(nncf.CompressWeightsMode, mode), **options)
    ov.save_model(model, f"{folder}/{mode}.xml", compress_to_fp16=False)
    result = core.compile_model(f"{folder}/{mode}.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs)[0]
    constants = sorted(op.get_element_type().to_string() for op in model.get_ops() if op.get_type_name() == "Constant")
    print(mode, len(model.get_ops()), *constants, f"{np.abs(result).mean():.2f}")
