"""Which library a processor gets, and what is told where there is none for it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from irrun.kernels import winograd
from irrun_kernels import library, processor, rows
from irrun_kernels import winograd as compiled
from irrun_kernels.host import LEVEL
from irrun_kernels.levels import LEVELS
from irrun_kernels.rows import softmax
from tests.kernels.compiled.built import build_file, told

BEST = {level.machine: level for level in reversed(LEVELS) if not level.is_for_tests}
Taken = Callable[..., None]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Taken]:
    """Take a processor with some features for that of this process; all levels but some have libraries."""

    monkeypatch.setattr(processor, "_fault", lambda _: None)

    def take(machine: str, features: str, asked: str = "", missing: tuple[str, ...] = ()) -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        monkeypatch.setattr(processor, "features", lambda: frozenset(features.split()))
        monkeypatch.setattr(processor, "exists", lambda name: name not in missing)
        monkeypatch.setenv(processor.VARIABLE, asked)

    return take


def chosen() -> str | None:
    level = processor.level()
    return None if level is None else level.name


@pytest.mark.parametrize("level", [level for level in LEVELS if not level.is_for_tests], ids=lambda level: level.name)
def test_a_processor_gets_the_level_that_has_its_features(taken: Taken, level: processor.Level) -> None:
    taken({"arm64": "aarch64", "x86_64": "AMD64"}[level.machine], f"{level.features} sse4.2 sve")
    assert chosen() == level.name
    assert processor.unavailable() is None


def test_a_level_without_a_library_is_passed_over(taken: Taken) -> None:
    taken("x86_64", BEST["x86_64"].features, missing=("x86-64-amx", "x86-64-bf16"))
    assert chosen() == "x86-64-vnni"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("riscv64", "v"), "there are no kernels for the processor riscv64"),
        (("x86_64", "avx"), "this processor has not all instructions of x86-64-v3"),
        (("aarch64", ""), "this processor has not all instructions of arm64-neon"),
        (
            ("arm64", "neon", "x86-64-v3"),
            "IRRUN_LEVEL is x86-64-v3, expected arm64-bf16 or arm64-dotprod or arm64-neon",
        ),
        (("arm64", "neon", "arm64-bf16"), "IRRUN_LEVEL is arm64-bf16, whose instructions this processor does not have"),
        (("arm64", "neon", "arm64-neon", ("arm64-neon",)), "IRRUN_LEVEL is arm64-neon, of which there is no library"),
    ],
)
def test_what_is_told_about_other_processors(taken: Taken, given: tuple[str, ...], reason: str) -> None:
    taken(*given)
    assert chosen() is None
    assert processor.unavailable() == reason


def test_missing_libraries_are_told(taken: Taken) -> None:
    taken("x86_64", BEST["x86_64"].features, missing=tuple(level.name for level in LEVELS))
    assert processor.unavailable() == f"the libraries of kernels for {sys.platform} on x86_64 are missing"


PICKED = """
from pathlib import Path
import numpy as np
from irrun_kernels import library
library.FOLDER = Path({!r})
from irrun_kernels.host import LEVEL
from irrun_kernels.rows import softmax
from tests.kernels.compiled.built import call
x = np.log(np.arange(1, 5, dtype=np.float32))
call(softmax, x.ctypes.data, x.ctypes.data, 1, 4, 1, 0)
print(LEVEL.name, np.abs(x * 10 - [1, 2, 3, 4]).max() < 1e-5)
"""


@pytest.mark.rest
def test_a_name_picks_the_level(tmp_path: Path) -> None:
    """The library of the level has the kernels of one file only, since those of all take a minute to compile."""
    level = [level for level in processor.fitting() if not level.is_for_tests][-1].name
    folder = shutil.copytree(library.FOLDER, tmp_path / "libraries")
    shutil.copy(build_file(Path(rows.__file__), level), folder / f"{level}{library.SUFFIX}")
    library.sign(folder / f"{level}{library.SUFFIX}")
    assert told(PICKED.format(str(folder)), IRRUN_LEVEL=level) == f"{level} True"


def test_a_library_of_other_sources_is_refused() -> None:
    with pytest.raises(LookupError, match=r"has no irrun_softmax_00000000: it was built from other sources"):
        library.address_of(LEVEL.name, "irrun_softmax_00000000")
    assert softmax.symbol.startswith("irrun_softmax_")


def test_both_tiers_transform_tiles_of_the_same_points() -> None:
    assert (compiled.TILE, compiled.POINTS) == (winograd.TILE, winograd.POINTS)


def test_libraries_need_nothing_but_functions_of_c() -> None:
    if sys.platform != "linux":
        pytest.skip("reads ELF files")
    from building.checks import undefined

    data = (library.FOLDER / f"{LEVEL.name}.so").read_bytes()
    assert set(undefined(data)) <= {"memcpy", "memmove", "memset"}
