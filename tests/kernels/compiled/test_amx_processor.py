"""The tiles of a processor that has AMX: equal bits as in memory, and permission in threads and processes.

Each test runs a script in another process, since a processor is looked at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.kernels.casting import bf16_bits, rounded, widened
from irrun.kernels.elementwise import Elementwise
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from tests.kernels.compiled.built import packaged, told
from tests.kernels.compiled.lowered import run
from tests.kernels.compiled.test_amx import MEMORY, with_tiles
from tests.kernels.test_convolution import GEOMETRIES, channels_last, fused, multiplied_out
from tests.nets import Net
from tests.optimize.quantized import SIGNED, UNSIGNED, convolution, fake_quantize, filters

pytestmark = [with_tiles, pytest.mark.rest]

WITHOUT_TILES = "x86-64-bf16"


def product(seed: int = 0) -> Array:
    """A product in bf16 that several tasks share: with NaN, infinities, overflows and numbers that are flushed."""
    draw = np.random.default_rng(seed)
    x = bf16_bits(rounded(draw.standard_normal((210, 130), dtype=np.float32), "bf16"))
    weights = rounded(draw.standard_normal((130, 150), dtype=np.float32), "bf16")
    x[0, :3] = 0x7FC1, 0xFFC2, 0x7F81
    x[1, :2], x[2, :2], x[3, :2] = (0x7F80, 0xFF80), (0x7F80, 0x7F80), (0xFF80, 0xFF80)
    x[4], x[5], x[6] = 0x0001, 0x807F, 0x0080
    x[7] = bf16_bits(np.full(130, 3e38, np.float32))
    x[7, 1::2] |= 0x8000
    weights[:, 0], weights[:, 1], weights[:, 2] = 2.0**-126, -(2.0**-130), 3e38
    weights[7, 3], weights[8, 4] = np.nan, -np.inf
    fact = Fact(F32, Shape((210, 150)))
    result = run(
        FusedMatMul(fact=fact, weights=weights, bias=None, activation=None).in_precision(BF16).with_bf16(floats=True), x
    )
    assert result is not None
    return numbers(result)


def numbers(both: Array) -> Array:
    """The f32 of a result, and the numbers that its bits in bf16 stand for."""
    return np.stack((both[0], widened(both[1].astype(np.uint16))))


def products() -> Iterator[Array]:
    yield from product()
    draw = np.random.default_rng(1)
    for points, depth, columns in ((17, 34, 16), (100, 300, 257), (513, 96, 48)):
        x, weights, summand = (
            draw.standard_normal(size).astype(np.float32)
            for size in ((points, depth), (depth, columns), (points, columns))
        )
        bias = draw.standard_normal(columns).astype(np.float32)
        swish = Elementwise("swish", (), np.exp)
        op = FusedMatMul(
            fact=Fact(F32, Shape((points, columns))), weights=weights, bias=bias, activation=swish
        ).in_precision(BF16)
        result = run(op.with_bf16(floats=True), bf16_bits(x), summand)
        assert result is not None
        yield from numbers(result)


def convolutions() -> Iterator[Array]:
    for (channels, outputs, groups), size, kernel, strides, dilations, begins, ends in GEOMETRIES.values():
        if channels // groups % 2:
            continue
        draw = np.random.default_rng(4)
        x = draw.standard_normal((2, channels, *size)).astype(np.float32)
        weights = draw.standard_normal((groups, outputs // groups, channels // groups, *kernel)).astype(np.float32)
        exact = multiplied_out(x, weights, strides, dilations, begins, ends)
        windows = Windows(strides, dilations, begins, ends)
        op = fused(weights, exact.shape, windows, accurate=True)
        result = run(op.in_precision(BF16).with_bf16(floats=True), channels_last(bf16_bits(x)))
        assert result is not None
        yield from numbers(result)


def network(folder: Path, precision: str) -> Iterator[Array]:
    """The outputs of a quantised network that ends with a product, in three inferences with two threads."""
    net = Net()
    data = fake_quantize(net, net.parameter("x", "2,16,14,15"), "2,16,14,15", SIGNED)
    ones = (1, 1)
    data = convolution(net, data, filters(net, (40, 16, 3, 3)), "2,40,14,15", begins=ones, ends=ones)
    first = net.layer("ReLU", [data], "2,40,14,15")
    data = fake_quantize(net, first, "2,40,14,15", UNSIGNED)
    data = convolution(net, data, filters(net, (40, 40, 1, 1)), "2,40,14,15")
    data = net.layer("Add", [data, first], "2,40,14,15")
    data = net.convolution(data, net.normal(64, 40, 3, 3), "2,64,12,13")
    data = net.layer("Reshape", [data, net.constant([128, 156])], "128,156", special_zero=False)
    data = net.layer("MatMul", [data, net.normal(156, 70)], "128,70", transpose_a=False, transpose_b=False)
    net.result(first, net.layer("SoftMax", [data], "128,70", axis=1))
    net.save(folder / "net.xml")
    config = {"TIER": "compiled", "INFERENCE_NUM_THREADS": 2, "INFERENCE_PRECISION_HINT": precision}
    compiled = irrun.model.build(folder / "net.xml", config)
    for _ in range(3):
        yield from compiled(net.inputs()).to_tuple()


def digest(arrays: Iterator[Array]) -> list[str]:
    """A text for each array, equal where all bits are; the bits of NaN do not count."""
    from zlib import crc32

    return [
        f"{crc32(np.where(np.isnan(a), np.nan, a).astype(a.dtype).tobytes() if a.dtype.kind == 'f' else a.tobytes()):x}"
        for a in arrays
    ]


BITS = """
from pathlib import Path
from tests.kernels.compiled.test_amx_processor import *
from irrun_kernels import amx_check
print(amx_check.multiplies_bf16(), amx_check.multiplies_bytes(), *digest({}))
"""


@pytest.mark.parametrize(
    "what", ["products()", "convolutions()", "network(Path({!r}), 'f32')", "network(Path({!r}), 'bf16')"]
)
def test_the_bits_are_those_of_tiles_in_memory(what: str, tmp_path: Path) -> None:
    script = BITS.format(what.format(str(tmp_path)))
    on, memory = told(script), told(script, MEMORY)
    assert on.startswith("True True ")
    assert on == memory


HERE = """
import threading
told, go = [], threading.Event()
early = threading.Thread(target=lambda: (go.wait(), told.append(result())))
early.start()
from tests.kernels.compiled.test_amx_processor import digest, product
def result():
    return digest(iter(product()))
go.set()
early.join()
late = threading.Thread(target=lambda: told.append(result()))
late.start()
late.join()
print(told[0] == told[1] == result())
"""

FORKED = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # a fork of a process with threads, from Python 3.12 on
if {early}:
    child = os.fork()
from tests.kernels.compiled.test_amx_processor import digest, product
if not {early}:
    product()
    child = os.fork()
text = digest(iter(product()))
if child == 0:
    open({path!r}, "w").write(repr(text))
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), open({path!r}).read() == repr(text))
"""

SPAWNED = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from tests.kernels.compiled.test_amx_processor import digest, product
def main():
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        told = [digest(iter(one)) for one in pool.map(product, range(4))]
    print(told == [digest(iter(product(seed))) for seed in range(4)])
if __name__ == "__main__":
    main()
"""


def test_threads_that_begin_before_and_after_the_permission() -> None:
    assert told(HERE) == "True"


@pytest.mark.parametrize("early", [True, False])
def test_a_forked_process(early: bool, tmp_path: Path) -> None:
    assert told(FORKED.format(early=early, path=str(tmp_path / "told"))) == "0 True"


def test_spawned_processes(tmp_path: Path) -> None:
    file = tmp_path / "spawning.py"
    file.write_text(SPAWNED, encoding="utf-8")
    assert told(f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')") == "True"


BATCH = """
import os
import sys
from irrun.cli import main
os.chdir({folder!r})
arguments = "-q run net.xml --batch in/*.npy --output {out} --jobs 2 --precision bf16"
sys.argv[1:] = arguments.split()
main()
"""


ALONE = """
import irrun.model
import numpy as np
for count in (1, 2):
    config = {{"TIER": "compiled", "INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": count}}
    irrun.model.build({net!r}, config)([np.load({x!r})])
"""


@pytest.mark.parametrize("level", [MEMORY, WITHOUT_TILES])
def test_worker_processes_of_a_batch(level: str, tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "64,130")
    net.result(net.layer("MatMul", [data, net.normal(130, 70)], "64,70", transpose_a=False, transpose_b=False))
    net.save(tmp_path / "net.xml")
    (tmp_path / "in").mkdir()
    for number in range(4):
        np.save(tmp_path / "in" / f"{number}.npy", net.inputs()["x"])
    alone = ALONE.format(net=str(tmp_path / "net.xml"), x=str(tmp_path / "in" / "0.npy"))
    environment = packaged(tmp_path / "kernels", level, alone)
    told(BATCH.format(folder=str(tmp_path), out="on"), IRRUN_TIER="compiled")
    told(BATCH.format(folder=str(tmp_path), out="other"), **environment, IRRUN_TIER="compiled")
    on, other = ([np.load(file) for file in sorted((tmp_path / name).glob("*.npy"))] for name in ("on", "other"))
    assert len(on) == 4
    assert np.array_equal(on, other) == (level == MEMORY)
    np.testing.assert_allclose(on, other, rtol=0, atol=1e-4)


SMALL_STACK = """
import ctypes
class Stack(ctypes.Structure):
    _fields_ = ("start", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)
memory = ctypes.create_string_buffer(8192)
assert ctypes.CDLL(None).sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 8192)), None) == 0
from irrun_kernels import amx_check
from irrun.runtime.tiers import backend
from tests.kernels.compiled.test_amx_processor import digest, product
print(amx_check.multiplies_bf16(), amx_check.multiplies_bytes(), backend("bf16", "compiled"))
print(*digest(iter(product())))
"""

SWITCHED_OFF = """
from tests.kernels.compiled.test_amx_processor import digest, product
print(*digest(iter(product())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux refuses tiles to a process whose signal stack is too small")
def test_a_system_that_refuses_tiles(tmp_path: Path) -> None:
    asked = packaged(tmp_path, WITHOUT_TILES, SWITCHED_OFF)
    used, digests = told(SMALL_STACK, **asked | {"IRRUN_LEVEL": ""}).splitlines()
    assert used in ("False False AVX512-BF16", "False False f32 made of bf16")
    assert digests == told(SWITCHED_OFF, **asked)


STATE = """
import ctypes
import tempfile
from pathlib import Path
import llvmlite.binding as llvm
from llvmlite import ir
from tests.kernels.compiled import built
built.become("x86-64-amx")
from building import compiler
from building.systems import link, this_system
from irrun_kernels.amx import Tiles
from irrun_kernels.vectors import Vectors
from tests.kernels.compiled.test_amx_processor import product
product()
module = ir.Module()
type = ir.FunctionType(ir.IntType(64), [])
for name in ("outside", "inside"):
    v = Vectors(ir.IRBuilder(ir.Function(module, type, name).append_basic_block()))
    if name == "inside":
        Tiles(v).configure()
        Tiles(v).zero(0)
    state = v.builder.asm(type, "mov $$1, %ecx; xgetbv", "={rax},~{rcx},~{rdx}", [], True)
    if name == "inside":
        Tiles(v).release()
    v.builder.ret(state)
llvm.initialize_native_asmparser()
text = "".join(line for line in str(module).splitlines(True) if not line.startswith("target "))
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "state.o").write_bytes(compiler.object_of(text, this_system()))
    link(this_system(), [Path(folder, "state.o")], Path(folder, "state.so"))
    library = ctypes.CDLL(str(Path(folder, "state.so")))
outside, inside = (ctypes.CFUNCTYPE(ctypes.c_uint32)((name, library)) for name in ("outside", "inside"))
print(*(function() >> 17 & 3 for function in (outside, inside, outside)))
product()
print(outside() >> 17 & 3)
"""


def test_tiles_are_released() -> None:
    """The state that the system saves for a thread contains tiles only inside of a kernel."""
    assert told(STATE).split() == ["0", "3", "0", "0"]


INTERRUPTED = """
import signal
from tests.kernels.compiled.test_amx_processor import digest, product
expected = digest(iter(product()))
count = 0
def handle(*_):
    global count
    count += 1
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-4)
same = all(digest(iter(product())) == expected for _ in range(20))
signal.setitimer(signal.ITIMER_REAL, 0)
print(same, count > 20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timers")
def test_signals_between_instructions() -> None:
    assert told(INTERRUPTED) == "True True"


SHARED = """
import threading
from tests.kernels.compiled.test_amx_processor import digest, product
expected = [digest(iter(product(seed))) for seed in range(8)]
wrong = []
def work(seed):
    wrong.extend(seed for _ in range(10) if digest(iter(product(seed))) != expected[seed])
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""


def test_more_threads_than_processors() -> None:
    assert told(SHARED) == "[]"
