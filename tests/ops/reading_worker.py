"""Reports which operations OpenVINO has: reads pairs of type and version from stdin, writes the known ones.

Each one is tried as a layer between a Parameter and a Result. Other errors of OpenVINO are ignored.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import openvino as ov

UNKNOWN = "from unsupported opset", "doesn't contain the operation with type"

PORT = '<port id="{}" precision="FP32"><dim>2</dim></port>'
NET = f"""<net name="net" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output>{PORT.format(0)}</output></layer>
<layer id="1" name="y" type="TYPE" version="VERSION"><data/>
<input>{PORT.format(0)}</input><output>{PORT.format(1)}</output></layer>
<layer id="2" name="z" type="Result" version="opset1"><input>{PORT.format(0)}</input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
</edges></net>"""


def has(core: ov.Core, type: str, version: str) -> bool:
    text = NET.replace("TYPE", type).replace("VERSION", version)
    try:
        core.read_model(text.encode(), ov.Tensor(np.zeros(0, np.uint8)))
    except RuntimeError as error:
        return not any(sign in str(error) for sign in UNKNOWN)
    return True


def main() -> None:
    core = ov.Core()
    json.dump([pair for pair in json.load(sys.stdin) if has(core, *pair)], sys.stdout)


if __name__ == "__main__":
    main()
