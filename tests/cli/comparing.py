"""Small pairs of models, for tests of ``irrun compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.cli.conftest import Run
from tests.nets import Net


def net(path: Path, weight: float = 1, bias: float = 0, name: str = "product", type: str = "f32") -> Path:
    """Write relu(weight * x + bias), whose layers are called product, sum and relu."""
    made = Net()
    x = made.parameter("x", "1,3", type)
    dtype = np.float32 if type == "f32" else np.int64
    product = made.layer("Multiply", [x, made.constant(np.array([weight], dtype), type)], name=name)
    total = made.layer("Add", [product, made.constant(np.array([bias], dtype), type)], name="sum")
    made.result(made.layer("Relu", [total], name="relu", tensor="y"))
    return made.save(path)


def compared(run: Run, *arguments: Any, status: int) -> dict[str, Any]:
    result = run("compare", *arguments, "--json")
    assert result.exit_code == status, result.stderr
    return dict(json.loads(result.stdout))
