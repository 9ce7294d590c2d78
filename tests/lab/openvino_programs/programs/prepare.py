"""Writes what the programs of this folder read: ``prepare.py FOLDER``, with OpenVINO and both packages of rapidocr."""

import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copy

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from PIL import Image, ImageDraw, ImageFont

folder = Path(sys.argv[1])
random = np.random.default_rng(1)


def constant(*shape):
    return ops.constant((random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32))


def save(name, result, parameter):
    ov.save_model(ov.Model([result], [parameter], name), folder / f"{name}.xml", compress_to_fp16=False)


def text():
    image = Image.new("RGB", (480, 160), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(40)
    draw.text((20, 20), "Hello world 2026", fill="black", font=font)
    draw.text((20, 90), "An interpreter", fill="black", font=font)
    image.save(folder / "text.png")


def readers():
    of = {
        "rapidocr": {"text": ("PP-OCRv6_det_small", "ch_ppocr_mobile_v2.0_cls_mobile", "PP-OCRv6_rec_small")},
        "rapidocr_openvino": {
            "old": ("ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2.0_cls_infer", "ch_PP-OCRv4_rec_infer")
        },
    }
    for package, names in of.items():
        models = Path(find_spec(package).origin).parent / "models"
        for prefix, files in names.items():
            for part, file in zip(("det", "cls", "rec"), files, strict=True):
                model = ov.Core().read_model(models / f"{file}.onnx")
                ov.save_model(model, folder / f"{prefix}_{part}.xml", compress_to_fp16=False)


def products():
    x = ops.parameter([-1, 256], np.float32, name="x")
    y = ops.relu(ops.matmul(x, constant(512, 256), False, True))
    y = ops.matmul(y, constant(256, 512), False, True)
    save("products", ops.matmul(y, constant(64, 256), False, True), x)


def classifier():
    x = ops.parameter([1, 3, 32, 32], np.float32, name="image")
    y = ops.multiply(x, ops.constant(np.float32(1 / 255)))
    y = ops.relu(ops.convolution(y, constant(8, 3, 3, 3), [2, 2], [1, 1], [1, 1], [1, 1]))
    y = ops.matmul(ops.reduce_mean(y, ops.constant(np.array([2, 3])), False), constant(8, 8), False, True)
    y = ops.softmax(y, 1)
    y.output(0).set_names({"scores"})
    save("classifier", y, x)


def detector():
    count = 8
    x = ops.parameter([1, 3, 32, 32], np.float32, name="image")
    mean = ops.reduce_mean(x, ops.constant(np.array([1, 2, 3])), False)
    zero = ops.reshape(ops.multiply(mean, ops.constant(np.float32(0))), ops.constant(np.array([1, 1])), False)
    boxes = ops.add(zero, ops.constant(random.standard_normal((1, count * 4)).astype(np.float32)))
    scores = ops.add(zero, ops.constant(random.random((1, count * 3)).astype(np.float32)))
    corners = np.sort(random.random((1, 1, count, 2, 2)).astype(np.float32), axis=3).reshape(1, 1, count * 4)
    priors = ops.constant(np.concatenate([corners, np.full_like(corners, 0.1)], 1))
    settings = {
        "top_k": 8,
        "keep_top_k": [8],
        "code_type": "caffe.PriorBoxParameter.CENTER_SIZE",
        "nms_threshold": 0.45,
        "normalized": True,
        "confidence_threshold": 0.01,
    }
    found = ops.detection_output(boxes, scores, priors, settings)
    found.output(0).set_names({"detection_out"})
    save("detector", found, x)


def digits():
    examples = Path(__file__).resolve().parents[4] / "examples" / "digits"
    files = {"model.xml": "digits.xml", "model.bin": "digits.bin"}
    files |= {"heldout_images.npy": "images.npy", "heldout_labels.npy": "labels.npy"}
    for source, target in files.items():
        copy(examples / source, folder / target)


for make in (text, readers, products, classifier, detector, digits):
    make()
