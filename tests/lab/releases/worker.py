"""Read and compile models with the OpenVINO of this process; any Python that OpenVINO had wheels for runs this file.

Each line of the standard input is an opset and a path; what is printed for it is ``nothing``, ``reads`` or
``compiles``. A model is read where a layer of it is the version of the opset: a release may have an opset with the
operation of an older one. With ``any``, every version will do; with ``reads``, the model is not compiled either.
"""

import os
import sys


def outcome(opset, path):  # type: ignore[no-untyped-def]
    """Return what OpenVINO does with a model, in a child process, which may crash."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            model = CORE.read_model(path)
            versions = {layer.get_type_info().version_id for layer in model.get_ops()}
            if opset not in ("any", "reads") and opset not in versions:
                raise RuntimeError(opset)
            os.write(writing, b"reads\n")
            if opset != "reads":
                CORE.compile_model(model, "CPU")
                os.write(writing, b"compiles\n")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answers:
        found = answers.read().split()
    os.waitpid(child, 0)
    return found[-1] if found else "nothing"


if __name__ == "__main__":
    try:
        from openvino import Core  # type: ignore[attr-defined]
    except ImportError:
        from openvino.runtime import Core  # type: ignore[import-not-found, no-redef]
    CORE = Core()
    for line in sys.stdin:
        print(outcome(*line.split()), flush=True)
