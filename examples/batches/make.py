"""Write the files of this folder from the digits of ../digits: ``python examples/batches/make.py``."""

from pathlib import Path

import numpy as np
from PIL import Image

import irrun.openvino as ov
from irrun.openvino import opset13 as ops

HERE = Path(__file__).parent
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
FORMATS = ["png", "jpg", "bmp", "webp", "tiff", "gif"]
COUNT = 12


def main() -> None:
    digits = np.load(HERE.parent / "digits" / "heldout_images.npy")
    labels = np.load(HERE.parent / "digits" / "heldout_labels.npy")
    (HERE / "images").mkdir(exist_ok=True)
    lines = ["name,label"]
    for number in range(COUNT):
        name = f"{number}.{FORMATS[number % len(FORMATS)]}"
        pixels = (digits[number, 0] * 15).astype(np.uint8)
        Image.fromarray(pixels).save(HERE / "images" / name, quality=100, lossless=True)
        lines.append(f"{name},{NAMES[labels[number]]}")
    for name in ("4.tiff", "9.webp"):
        (HERE / "images" / name).write_bytes(b"broken")
    (HERE / "images" / "notes.txt").write_text("Two of these images are broken.\n")
    (HERE / "labels.csv").write_text("\n".join(lines) + "\n")
    (HERE / "names.txt").write_text("\n".join(NAMES) + "\n")
    (HERE / "pairs").mkdir(exist_ok=True)
    for number in range(3):
        np.savez(HERE / "pairs" / f"{number}.npz", a=digits[number : number + 1], b=digits[3 * number : 3 * number + 1])
    a, b = (ops.parameter([-1, 1, 8, 8], np.float32, name=name) for name in "ab")
    for parameter, name in ((a, "a"), (b, "b")):
        parameter.output(0).set_names({name})
    squared = ops.squared_difference(a, b)
    distance = ops.reduce_mean(squared, ops.constant(np.array([1, 2, 3])), keep_dims=False)
    distance.output(0).set_names({"distance"})
    ov.save_model(ov.Model([distance], [a, b], "pairs"), HERE / "pairs.xml", compress_to_fp16=False)


if __name__ == "__main__":
    main()
