"""Limits on memory, iterations and time: each is a diagnostic that names the layer and the figure."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.diagnostics.sizes import bytes_text, parse_bytes
from irrun.document.writer import Writer
from irrun.model.config import ConfigError, read_config
from irrun.runtime.budget import MOST_ITERATIONS, available_memory, default_memory
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.kernels.merged import merged
from tests.runtime.budget_nets import broadcast, doubling_loop, range_of_input, square


def failure(model: irrun.model.Loaded, config: dict[str, object], inputs: object = None) -> str:
    with pytest.raises(IRError) as caught:
        irrun.model.build(model, config)(inputs)
    assert [item.code for item in caught.value.diagnostics] == ["IR804"]
    return str(caught.value)


def test_memory_is_summed_before_anything_is_allocated() -> None:
    model = broadcast(2147483647, 3, 4)
    with pytest.raises(IRError) as caught:
        irrun.model.build(model, {"MAX_MEMORY": "4GiB"})
    assert str(caught.value) == (
        'layer "Broadcast_2" (Broadcast): f32[2147483647,3,4] takes 96 GiB, the budget is 4 GiB; '
        "--max-memory or MAX_MEMORY raises it [IR804]"
    )


def test_constants_of_operations_that_look_at_types_are_summed_too() -> None:
    ir = Writer("net")
    given = [ir.constant(np.ones(1, np.float32), F32), ir.constant(np.zeros(1, np.int64), I64)]
    count = ir.constant(np.array(10**9), I64)
    out = Fact(F32, Shape([10**9]))
    (filled,) = ir.layer("SegmentMax", "opset16", [*given, count], [out], {"fill_mode": "lowest"})
    ir.result(filled)
    model = irrun.model.load(ir.text.encode(), ir.weights)
    with pytest.raises(IRError, match=r'"SegmentMax_3" \(SegmentMax\): f32\[1000000000\] takes 3.725 GiB'):
        irrun.model.build(model, {"MAX_MEMORY": "1GiB"})


def test_the_layer_that_exceeds_the_memory_is_named() -> None:
    x = np.ones((256, 1), np.float32)
    assert failure(square("256"), {"MAX_MEMORY": 100_000}) == (
        'layer "product" (MatMul): its workspace and the tensors held while it runs take 773 KiB, '
        "the budget is 97.66 KiB; "
        "--max-memory or MAX_MEMORY raises it [IR804]"
    )
    compiled = irrun.model.build(square("256"), {"MAX_MEMORY": 1_000_000})
    np.testing.assert_array_equal(compiled(x)[0], np.ones((256, 256)))


def test_shapes_that_arrive_are_judged_before_they_run() -> None:
    compiled = irrun.model.build(square("?"), {"MAX_MEMORY": 150_000})
    assert compiled(np.ones((100, 1), np.float32))[0].sum() == 10_000
    with pytest.raises(IRError, match=r'layer "product" \(MatMul\): .* take 773 KiB, the budget is 146.5 KiB'):
        compiled(np.ones((256, 1), np.float32))
    assert compiled(np.ones((100, 1), np.float32))[0].sum() == 10_000


@pytest.mark.parametrize("optimize", [True, False])
def test_sizes_that_are_values_are_judged_before_they_run(optimize: bool) -> None:
    config = {"MAX_MEMORY": "1MiB", "OPTIMIZE": optimize}
    compiled = irrun.model.build(range_of_input(), config)
    np.testing.assert_array_equal(compiled(np.int64(5))[0], [0, 1, 2, 3, 4])
    with pytest.raises(IRError, match=r'layer "range" \(Range\): output 0, i64\[300000000\], takes 2.235 GiB'):
        compiled(np.int64(300_000_000))


def test_the_results_of_a_loop_count() -> None:
    model = doubling_loop(trip_count=60)
    message = failure(model, {"MAX_MEMORY": "64MiB", "OPTIMIZE": False})
    assert message.startswith(('layer "loop" (Loop): ', 'layer "join" (Concat): '))
    assert "the budget is 64 MiB" in message
    compiled = irrun.model.build(doubling_loop(trip_count=5), {"MAX_MEMORY": "64MiB"})
    np.testing.assert_array_equal(compiled()[0], np.ones(32, np.float32))


def test_iterations_are_limited() -> None:
    compiled = irrun.model.build(doubling_loop(trip_count=4), {"MAX_ITERATIONS": 4})
    assert compiled()[0].size == 16
    assert failure(doubling_loop(trip_count=5), {"MAX_ITERATIONS": 4}) == (
        'layer "loop" (Loop): the loop has not ended after 4 iterations, which is the budget; '
        "--max-iterations or MAX_ITERATIONS raises it [IR804]"
    )


def test_a_loop_that_cannot_end_is_refused() -> None:
    model = doubling_loop(trip_count=-1)
    (found,) = model.diagnostics
    assert found.message == "the loop never ends: trip_count is -1 and its condition is always true"
    with pytest.raises(IRError, match="never ends"):
        irrun.model.build(model)


def test_time_is_limited() -> None:
    x = np.ones((16, 1), np.float32)
    assert failure(square("16"), {"TIMEOUT": 1e-9}, x) == (
        'layer "product" (MatMul): the inference has not ended after 1e-09 s; --timeout or TIMEOUT raises it [IR804]'
    )
    assert irrun.model.build(square("16"), {"TIMEOUT": 1000})(x)[0].sum() == 256


def test_settings_are_read() -> None:
    assert read_config({"MAX_MEMORY": "1.5GiB", "MAX_ITERATIONS": 7, "TIMEOUT": 2}).budget == (3 << 29, 7, 2.0)
    assert read_config({"MAX_MEMORY": None, "MAX_ITERATIONS": None, "TIMEOUT": None}).budget == (None, None, None)
    assert read_config(None).budget.iterations == MOST_ITERATIONS
    with pytest.raises(ConfigError, match="MAX_MEMORY is '4 apples', expected a positive number of bytes such as"):
        read_config({"MAX_MEMORY": "4 apples"})
    with pytest.raises(ConfigError, match="TIMEOUT is -1, expected a positive number or None"):
        read_config({"TIMEOUT": -1})
    with pytest.raises(ConfigError, match="MAX_ITERATIONS is 'many', expected a positive number or None"):
        read_config({"MAX_ITERATIONS": "many"})


@merged()
@pytest.mark.parametrize(
    ("text", "size"),
    [("4096", 4096), ("500MB", 500_000_000), ("1.5 GiB", 3 << 29), ("2G", 2 << 30), ("3kb", 3000), ("1ki", 1024)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@merged()
@pytest.mark.parametrize("text", ["", "0", "-1", "1e9", "GiB", "1.5.2", "4 EiB", "٣", "9" * 30])
def test_other_texts_are_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="expected a positive number of bytes"):
        parse_bytes(text)


def test_sizes_are_shown() -> None:
    assert [bytes_text(size) for size in (0, 1023, 1024, 96 << 30, 1 << 90)] == [
        "0 bytes",
        "1023 bytes",
        "1 KiB",
        "96 GiB",
        "2^90 bytes or more",
    ]


def test_the_memory_of_a_machine_is_what_its_limits_leave(tmp_path: Path) -> None:
    files = {
        "proc/meminfo": "MemTotal: 99 kB\nMemAvailable:    1000000 kB\n",
        "proc/self/cgroup": "4:memory:/box\n0::/user/job\n",
        "sys/fs/cgroup/user/memory.max": "500000000\n",
        "sys/fs/cgroup/user/memory.current": "200000000\n",
        "sys/fs/cgroup/user/memory.stat": "anon 1\ninactive_file 50000000\n",
        "sys/fs/cgroup/user/job/memory.max": "max\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert available_memory(tmp_path) == 350_000_000
    (tmp_path / "sys/fs/cgroup/memory/box").mkdir()
    (tmp_path / "sys/fs/cgroup/memory/box/memory.limit_in_bytes").write_text("300000000\n")
    assert available_memory(tmp_path) == 300_000_000
    (tmp_path / "sys/fs/cgroup/user/memory.current").write_text("700000000\n")
    assert available_memory(tmp_path) == 0


def test_the_default_is_a_share_of_what_is_free() -> None:
    free, share = available_memory(), default_memory()
    assert free is not None
    assert share is not None
    assert 0 < share < free * 1.1


def test_inputs_of_unknown_rank_are_judged_by_their_shapes() -> None:
    ir = Writer("tiles")
    data = ir.parameter("x", F32, Shape.unknown())
    (tiled,) = ir.layer("Tile", "opset1", [data, ir.constant(np.array([3000, 5]), I64)], [Fact(F32, Shape.unknown())])
    ir.result(ir.layer("ReLU", "opset1", [tiled], [Fact(F32, Shape.unknown())])[0])
    compiled = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), {"MAX_MEMORY": "1MiB"})
    assert compiled(np.ones((2, 1), np.float32))[0].shape == (6000, 5)
    with pytest.raises(IRError, match=r'layer "Tile_2" \(Tile\): .* take .* MiB, the budget is 1 MiB'):
        compiled(np.ones((40, 10), np.float32))


HUGE: Final = 10_000_000_000


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
@pytest.mark.parametrize("is_constant", [True, False])
def test_outputs_without_elements_are_not_computed(tier: str, is_constant: bool) -> None:
    ir = Writer("pool")
    data, sizes = ir.parameter("x", F32, Shape((1, 0, 4, 4))), np.array([HUGE, 7])
    target = ir.constant(sizes, I64) if is_constant else ir.parameter("sizes", I64, Shape((2,)))
    pooled = ir.layer("AdaptiveAvgPool", "opset8", [data, target], [Fact(F32, Shape.unknown(4))])
    ir.result(pooled[0])
    compiled = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), {"TIER": tier, "MAX_MEMORY": "1MiB"})
    x = np.ones((1, 0, 4, 4), np.float32)
    for _ in range(2):
        assert compiled([x] if is_constant else [x, sizes])[0].shape == (1, 0, HUGE, 7)


def test_constants_without_elements_are_not_computed() -> None:
    ir = Writer("hot")
    inputs = [ir.constant(np.zeros(0, np.int64), I64), ir.constant(np.array(HUGE), I64)]
    inputs += [ir.constant(np.array(value, np.float32), F32) for value in (1, 0)]
    (hot,) = ir.layer("OneHot", "opset1", inputs, [Fact(F32, Shape((0, HUGE)))], {"axis": "-1"})
    ir.result(hot)
    compiled = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), {"MAX_MEMORY": "1MiB"})
    assert compiled([])[0].shape == (0, HUGE)
