"""Tiles of AMX on a processor without them: an emulator of the instructions is loaded into each process.

`test_amx_processor` has the tests of a processor with AMX. `amx_emulator.c` explains how instructions are emulated.
Each test runs a script in another process, whose kernels are compiled for AMX when they are asked for.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.tensor import Array
from irrun_kernels import processor
from irrun_kernels.host import LEVEL
from irrun_kernels.levels import LEVELS
from tests.kernels.compiled import test_amx, test_amx_processor
from tests.kernels.compiled.built import told

SOURCE = Path(__file__).with_name("amx_emulator.c")
AMX = next(level for level in LEVELS if level.tiles == "registers")


pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> str:
    lacks = {name for name in AMX.has - processor.features() if not name.startswith("amx")}
    if sys.platform != "linux" or shutil.which("cc") is None or lacks or LEVEL.tiles == "registers":
        pytest.skip("the emulator needs Linux, a compiler of C, and a processor that has all of this level but tiles")
    library = tmp_path_factory.mktemp("emulator") / "amx_emulator.so"
    options = "-shared -fPIC -O3 -march=x86-64-v4 -ffp-contract=off -ftls-model=initial-exec -Wall -Wextra -Werror"
    subprocess.run(["cc", *options.split(), "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return str(library)


GRANTED = """
from irrun_kernels import processor
assert processor.fitting()[0].name == "x86-64-amx"
"""

IMPORT = "from tests.kernels.compiled.test_amx_processor import"


def emulated(emulator: str, script: str) -> str:
    """Return the output of a script that uses kernels. Tiles are granted before it imports something from tests."""
    return told(script.replace(IMPORT, GRANTED + IMPORT, 1), AMX.name, LD_PRELOAD=emulator)


def loaded() -> ctypes.CDLL:
    """The emulator of this process."""
    return ctypes.CDLL(os.environ["LD_PRELOAD"])


def assembled(*lines: str) -> Callable[..., None]:
    """A function of up to four arrays, whose addresses are in rdi, rsi, rdx and rcx. It may use rax, and r8 to r11."""
    text = "\n".join((".globl f", "f:", *lines, "ret", '.section .note.GNU-stack,"",@progbits', ""))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/f.so"
        command = ["cc", "-shared", "-nostdlib", "-x", "assembler", "-", "-o", path]
        subprocess.run(command, input=text, text=True, check=True)
        function = ctypes.CDLL(path).f
    return lambda *arrays: function(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))


def sizes(*tiles: tuple[int, int]) -> Array:
    """The memory that sets the rows of each tile, and the bytes of a row."""
    given = np.zeros(64, np.uint8)
    given[0] = 1
    for number, (rows, columns) in enumerate(tiles):
        given[48 + number], given[16 + 2 * number] = rows, columns
    return given


def check_products_of_bytes() -> None:
    draw = np.random.default_rng(0)
    a, b, c = (draw.integers(0, 256, size).astype(np.uint8) for size in ((11, 40), (10, 48), (11, 48)))
    for name, left, right in (("ssd", "i1", "i1"), ("sud", "i1", "u1"), ("usd", "u1", "i1"), ("uud", "u1", "u1")):
        product = assembled(
            *("ldtilecfg (%rdi)", "mov $40, %eax", "mov $24, %r9", "mov $48, %r10"),
            *("tileloadd (%rsi,%rax), %tmm1", "tileloaddt1 (%rdx,%r9,2), %tmm2", "tileloadd (%rcx,%r10), %tmm0"),
            *(f"tdpb{name} %tmm2, %tmm1, %tmm0", "tilestored %tmm0, (%rcx,%r10)", "tilerelease"),
        )
        out = c.copy()
        product(sizes((11, 48), (11, 40), (10, 48)), a, b, out)
        words = b.view(right).astype(np.int64).reshape(10, 12, 4).swapaxes(1, 2).reshape(40, 12)
        expected = c.view("<i4") + a.view(left).astype(np.int64) @ words
        np.testing.assert_array_equal(out.view("<i4"), expected.astype(np.int32))


def check_places() -> None:
    """Addresses with and without an offset and a stride; zeros; the sizes that are saved, and what is in use."""
    given = sizes((16, 64), (1, 4), (2, 8), (3, 12), (16, 60))
    x, out, saved = np.arange(256, dtype=np.uint8), np.full(1024, 9, np.uint8), np.full(192, 9, np.uint8)
    assembled(
        *("sttilecfg (%rcx)", "lea 4096(%rdi), %r9", "ldtilecfg -4096(%r9)", "sttilecfg 64(%rcx)"),
        *("xor %r11d, %r11d", "mov $20, %r8", "mov %rsi, %r10", "mov $1, %eax"),
        *("tileloadd 16(%r10,%r8), %tmm3", "tilestored %tmm3, 300(%rdx,%r8)"),
        *("tileloadd 4(%rsi,%rax,8), %tmm2", "tilestored %tmm2, 100(%rdx,%rax,4)"),
        *("tileloadd (%rsi), %tmm2", "tilestored %tmm2, (%rdx,%r8,2)"),
        *("tilezero %tmm3", "tilestored %tmm3, 600(%rdx,%r8)"),
    )(given, x, out, saved)
    assert loaded().amx_state() == 3 << 17
    expected = np.full(1024, 9, np.uint8)
    for row in range(3):
        expected[300 + 20 * row :][:12] = x[16 + 20 * row :][:12]
        expected[600 + 20 * row :][:12] = 0
    expected[100:104], expected[104:112] = x[4:8], x[12:20]
    expected[:8] = expected[40:48] = x[:8]
    np.testing.assert_array_equal(out, expected)
    assembled("ldtilecfg 1f(%rip)", "sttilecfg 128(%rdi)", "jmp 2f", "1:", ".fill 64", "2:")(saved)
    np.testing.assert_array_equal(saved.reshape(3, 64), [np.zeros(64), given, np.zeros(64)])
    assert loaded().amx_state() == 0


CHECKED = """
from irrun_kernels import processor
assert "amx-tile" in processor.features()
from tests.kernels.compiled import test_amx_emulated
test_amx_emulated.check_{}()
"""


@pytest.mark.parametrize("what", ["products_of_bytes", "places"])
def test_instructions(emulator: str, what: str) -> None:
    assert told(CHECKED.format(what), LD_PRELOAD=emulator) == ""


SMALL_STACK = test_amx_processor.SMALL_STACK.partition("from irrun_kernels")[0]

WRONG = """
from irrun_kernels import processor
from tests.kernels.compiled.test_amx_emulated import assembled, sizes
print("amx-tile" in processor.features(), flush=True)
assembled("ldtilecfg (%rdi)", "tdpbusd %tmm2, %tmm1, %tmm0")(sizes((4, 16), (4, 16), (5, 16)))
"""


@pytest.mark.parametrize(
    ("begin", "number", "printed", "message"),
    [
        ("", signal.SIGABRT, "True\n", "emulator of AMX: rows of tiles do not fit together\n"),
        (SMALL_STACK, signal.SIGILL, "False\n", ""),
    ],
    ids=["wrong sizes", "refused by the system"],
)
def test_instructions_that_end_the_process(
    emulator: str, begin: str, number: signal.Signals, printed: str, message: str
) -> None:
    environment = {**os.environ, "LD_PRELOAD": emulator}
    done = subprocess.run([sys.executable, "-c", begin + WRONG], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (-number, printed, message)


HANDLED = """
import faulthandler, signal
from irrun_kernels import processor
from tests.kernels.compiled.test_amx_emulated import check_places
faulthandler.enable()
assert "amx-tile" in processor.features()
check_places()
seen = []
signal.signal(signal.SIGILL, lambda *_: seen.append("seen"))
signal.raise_signal(signal.SIGILL)
check_places()
print(seen)
"""


def test_handlers_of_the_program(emulator: str) -> None:
    assert told(HANDLED, LD_PRELOAD=emulator) == "['seen']"


def test_values(emulator: str) -> None:
    script = GRANTED + test_amx.VALUES.format(["products", "bytes"])
    assert emulated(emulator, script) == "True True AMX-BF16"


def test_a_quantised_network_has_the_bits_of_vectors(emulator: str, tmp_path: Path) -> None:
    """Sums of products of bytes are exact, and the products of f32 are the same kernel."""
    script = test_amx_processor.BITS.format(f"network(Path({str(tmp_path)!r}), 'f32')")
    on, off = emulated(emulator, script).split(), told(script).split()
    assert on[:2] == ["True", "True"]
    assert on[2:] == off[2:]


@pytest.mark.parametrize("early", [True, False])
def test_a_forked_process(emulator: str, early: bool, tmp_path: Path) -> None:
    script = test_amx_processor.FORKED.format(early=early, path=str(tmp_path / "told"))
    assert emulated(emulator, script) == "0 True"


def test_threads_that_begin_before_and_after_the_permission(emulator: str) -> None:
    assert emulated(emulator, test_amx_processor.HERE) == "True"


def test_signals_between_instructions(emulator: str) -> None:
    assert emulated(emulator, test_amx_processor.INTERRUPTED) == "True True"


def test_more_threads_than_processors(emulator: str) -> None:
    assert emulated(emulator, test_amx_processor.SHARED) == "[]"


RELEASED = """
from tests.kernels.compiled.test_amx_processor import product
from tests.kernels.compiled.test_amx_emulated import loaded
product()
print(loaded().amx_executed() > 1000, loaded().amx_state())
"""


def test_tiles_are_released(emulator: str) -> None:
    assert emulated(emulator, RELEASED) == "True 0"
