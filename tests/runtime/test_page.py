"""The page about compiled kernels does what it says."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.ops._declared.normalization.grn import GRN
from tests.nets import Net

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.lower import lower
from irrun.runtime.lowering.builder import LOWERINGS
from irrun.runtime.packs import Packs
from irrun.runtime.view import Call
from tests.kernels.compiled import built
from tests.runtime import test_agreement

PAGE = Path(__file__).resolve().parents[2] / "docs" / "anatomy-of-a-compiled-kernel.md"


def module(name: str, file: Path) -> ModuleType:
    """A module of this file, under the name that the page gives it."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def layer(tmp_path: Path) -> Iterator[object]:
    """The function of section 3, with the kernel and the lowering of the page in place."""
    kernel, lowering, layer = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert kernel.count("\n") + lowering.count("\n") < 60
    names = ("irrun_kernels.norms", "irrun.runtime.lowering.norms")
    for name, source in zip(names, (kernel, lowering), strict=True):
        file = tmp_path / f"{name.replace('.', '_')}.py"
        file.write_text(source)
        if source is kernel:
            built.add(file)
        module(name, file)
    scope = dict(vars(test_agreement))
    exec(layer, scope)
    yield scope["unit_rows"]
    for name in names:
        del sys.modules[name]
    del LOWERINGS[GRN]


@pytest.mark.rest
def test_the_kernel_of_the_page(layer: object, tmp_path: Path) -> None:
    assert callable(layer)
    for seed in range(5):
        check_layer(layer, seed, tmp_path)


def check_layer(layer: Callable[..., Any], seed: int, tmp_path: Path) -> None:
    net = Net()
    net.result(layer(net, np.random.default_rng(seed)))
    net.save(tmp_path / "net.xml")
    compiled, plain = (irrun.model.build(tmp_path / "net.xml", {"TIER": tier}) for tier in ("compiled", "numpy"))
    program = lower(compiled.plan, Packs())
    assert program is not None
    assert "unit_rows" in [item.kernel.name for item in program.items if isinstance(item, Call)]
    inputs = net.inputs()
    np.testing.assert_allclose(compiled(inputs)[0], plain(inputs)[0], rtol=1e-4, atol=1e-5)
