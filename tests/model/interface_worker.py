"""Reads IRs with OpenVINO in a separate process, and runs those with values: jobs as JSON in, answers out."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import openvino as ov


def answer(core: ov.Core, job: dict[str, Any]) -> dict[str, Any]:
    try:
        model = core.compile_model(
            core.read_model(job["xml"].encode(), bytes.fromhex(job["bin"])), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
        )
    except RuntimeError as error:
        return {"refused": str(error)}
    record: dict[str, Any] = {
        kind: [[port.element_type.to_string(), sorted(port.names)] for port in ports]
        for kind, ports in (("inputs", model.inputs), ("outputs", model.outputs))
    }
    if job["values"] is not None:
        port = model.input(0)
        given = ov.Tensor(port.element_type, port.shape)
        given.data[:] = np.array(job["values"]).astype(given.data.dtype).reshape(given.data.shape)
        request = model.create_infer_request()
        request.infer([given])
        record["values"] = request.get_output_tensor(0).data.reshape(-1).tolist()
    return record


if __name__ == "__main__":
    core = ov.Core()
    json.dump([answer(core, job) for job in json.load(sys.stdin)], sys.stdout)
