"""Puts transforms of torchvision into a model: ``transform.py FOLDER``, with torch and torchvision."""

import sys

import numpy as np
import openvino as ov
from openvino.preprocess.torchvision import PreprocessConverter
from PIL import Image
from torchvision import transforms

folder = sys.argv[1]
image = Image.open(f"{folder}/text.png").resize((120, 90))
steps = [
    transforms.Resize(40, interpolation=transforms.InterpolationMode.NEAREST),
    transforms.CenterCrop((32, 32)),
    transforms.ToTensor(),
    transforms.Normalize(mean=[0.5, 0.4, 0.3], std=[0.2, 0.3, 0.4]),
]
model = ov.Core().read_model(f"{folder}/classifier.xml")
model = PreprocessConverter.from_torchvision(model, transforms.Compose(steps), image, "image")
print(model.input().partial_shape, model.input().element_type.to_string())
result = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(np.asarray(image)[None])[0]
print(*(f"{number:.2f}" for number in result.reshape(-1)))
