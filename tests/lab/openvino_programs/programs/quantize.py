"""Quantizes a model to 8 bits with nncf: ``quantize.py FOLDER``."""

import sys

import nncf
import numpy as np
import openvino as ov

folder = sys.argv[1]
core = ov.Core()
images, labels = np.load(f"{folder}/images.npy"), np.load(f"{folder}/labels.npy")
model = core.read_model(f"{folder}/digits.xml")
quantized = nncf.quantize(model, nncf.Dataset(images[:64, None]), subset_size=64)
for name, each in {"before": model, "after": quantized}.items():
    found = core.compile_model(each, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(images)[0].argmax(1)
    print(name, f"{(found == labels).mean():.2f}")
