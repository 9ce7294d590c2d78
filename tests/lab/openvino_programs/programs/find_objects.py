"""Classifies an image, and finds boxes in it, with Model API: ``model_api.py FOLDER``."""

import sys

import cv2
from model_api.models import Model

folder = sys.argv[1]
image = cv2.imread(f"{folder}/text.png")
settings = {"topk": 3, "labels": list("abcdefgh")}
classifier = Model.create_model(f"{folder}/classifier.xml", model_type="Classification", configuration=settings)
for label in classifier(image).top_labels:
    print(label.name, f"{label.confidence:.2f}")
detector = Model.create_model(f"{folder}/detector.xml", model_type="ssd", configuration={"confidence_threshold": 0.1})
found = detector(image)
for box, score, label in zip(found.bboxes.tolist(), found.scores, found.labels.tolist(), strict=True):
    print(*box, f"{score:.2f}", label)
