"""Calls that follow each other on a tape, which several workers walk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.runtime.instance import Instance
from irrun.runtime.lowering.builder import I64, Builder
from irrun.runtime.program import assembled
from irrun.runtime.request import Request
from tests.kernels.compiled import built, own_kernels
from tests.kernels.compiled.own_kernels import Exchange, Late


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_call_begins_when_the_one_before_it_is_done(count: int) -> None:
    built.add(Path(own_kernels.__file__))
    builder = Builder()
    outs = []
    for number in range(40):
        x, out = builder.empty((2,), I64), builder.empty((2,), I64)
        builder.call(own_kernels.write_late, Late(builder.address(x), number + 1, 200_000), 2)
        builder.call(own_kernels.exchange, Exchange(builder.address(x), builder.address(out)), 2)
        outs.append(out)
    instance = Instance(assembled(builder, [], outs), count)
    for _ in range(5):
        found = instance.run(Request(), count)
        np.testing.assert_array_equal(found, np.repeat(np.arange(1, 41)[:, None], 2, 1))
