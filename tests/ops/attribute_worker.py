"""Reports how OpenVINO reads attributes: reads IRs from stdin, writes the attributes of their layers named ``op``.

The answer for an IR is null where OpenVINO refuses it, else the attributes as OpenVINO would write them.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import openvino as ov


def attributes(core: ov.Core, text: str) -> dict[str, object] | None:
    try:
        model = core.read_model(text.encode(), ov.Tensor(np.zeros(64, np.uint8)))
    except RuntimeError:
        return None
    layer = next((layer for layer in model.get_ops() if layer.get_friendly_name() == "op"), None)
    found: dict[str, object] = {}
    if layer is None:
        return found
    for name, value in layer.get_attributes().items():
        found[name] = value if isinstance(value, bool | int | float | str) else list(value)
    return found


def main() -> None:
    core = ov.Core()
    json.dump([attributes(core, text) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
