"""Reads the text of an image with rapidocr_openvino: ``read_text_as_before.py FOLDER``."""

import sys

from rapidocr_openvino import RapidOCR

folder = sys.argv[1]
models = {f"{part}_model_path": f"{folder}/old_{part}.xml" for part in ("det", "cls", "rec")}
found, _ = RapidOCR(**models)(f"{folder}/text.png")
for _, text, score in found:
    print(text, f"{float(score):.1f}")
