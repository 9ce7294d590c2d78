"""Reads the text of an image with rapidocr: ``read_text.py FOLDER``."""

import sys

from rapidocr import EngineType, RapidOCR

folder = sys.argv[1]
settings = {"Global.log_level": "critical"}
for part in ("Det", "Cls", "Rec"):
    settings |= {f"{part}.engine_type": EngineType.OPENVINO, f"{part}.model_path": f"{folder}/text_{part.lower()}.xml"}
found = RapidOCR(params=settings)(f"{folder}/text.png")
for text, score in zip(found.txts, found.scores, strict=True):
    print(text, f"{score:.1f}")
