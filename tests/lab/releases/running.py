"""Run models with the OpenVINO of this process: each line of the standard input is a model and an .npz with inputs.

What is printed for it is the first output, as JSON.
"""

import json
import sys

import numpy as np

if __name__ == "__main__":
    from openvino import Core

    for line in sys.stdin:
        model, inputs = line.split()
        compiled = Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        print(json.dumps(np.asarray(next(iter(compiled(dict(np.load(inputs))).values()))).tolist()), flush=True)
