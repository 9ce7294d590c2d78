"""Questions to a processor and a system, with answers of others, and libraries that are not those of a build."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from irrun_kernels import host, library, processor


class Arm:
    """The system of a processor of Arm: what it says has one bit or name each."""

    def __init__(self, *said: Any) -> None:
        self._said = said
        self.getauxval: Any = self._getauxval
        self.IsProcessorFeaturePresent = lambda number: number in said

    def _getauxval(self, kind: int) -> int:
        return sum(1 << bit for place, bit in self._said if place == kind)

    def sysctlbyname(self, name: bytes, value: Any, _size: Any, _new: Any, _count: int) -> int:
        if name.decode() not in self._said:
            return -1
        ctypes.cast(value, ctypes.POINTER(ctypes.c_int64))[0] = 1
        return 0


@pytest.fixture
def on_arm(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(processor, "machine", lambda: "arm64")
    monkeypatch.delattr(ctypes, "WinDLL", raising=False)
    return monkeypatch


def asked() -> set[str]:
    return set(processor.features.__wrapped__())


def test_features_of_arm_on_linux(on_arm: pytest.MonkeyPatch) -> None:
    arm = Arm((16, 1), (16, 20), (26, 14), (26, 3))

    def getauxval(kind: int) -> int:
        return arm._getauxval(kind)

    on_arm.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(getauxval=getauxval))
    on_arm.setattr(sys, "platform", "linux")
    assert asked() == {"neon", "dotprod", "bf16"}


def test_features_of_arm_on_macos(on_arm: pytest.MonkeyPatch) -> None:
    on_arm.setattr(ctypes, "CDLL", lambda _: Arm("hw.optional.AdvSIMD", "hw.optional.arm.FEAT_I8MM"))
    on_arm.setattr(sys, "platform", "darwin")
    assert asked() == {"neon", "i8mm"}


def test_features_of_arm_on_windows(on_arm: pytest.MonkeyPatch) -> None:
    on_arm.setattr(ctypes, "WinDLL", lambda _: Arm(19, 43, 68, 1), raising=False)
    assert asked() == {"neon", "dotprod", "bf16"}


def test_a_process_of_32_bits_has_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert asked() == set()


def test_other_processors_have_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "machine", lambda: "riscv64")
    assert asked() == set()


class X86:
    """A processor with few leaves: all bits are set, and the system saves the registers of vectors of 256 bits."""

    def __init__(self, most: int, saves: bool = True) -> None:
        self._most, self._saves = most, saves

    def irrun_cpuid(self, leaf: Any, subleaf: Any, numbers: Any) -> None:
        del subleaf
        begin = leaf.value & 0x80000000
        numbers[0] = begin + self._most if leaf.value == begin else 0
        numbers[1] = numbers[3] = 0xFFFFFFFF
        numbers[2] = 0xFFFFFFFF if self._saves else 0xFFFFFFFF & ~(1 << 27)

    def irrun_xgetbv(self) -> int:
        return 0x6


@pytest.mark.parametrize(
    ("most", "saves", "there", "missing"),
    [
        (7, True, {"fma", "avx2", "bmi2", "lzcnt"}, {"avx512f", "avxvnni", "amx-tile"}),
        (1, True, {"fma", "popcnt", "lzcnt"}, {"avx2", "bmi"}),
        (0, True, set(), {"fma", "lzcnt", "avx2"}),
        (7, False, {"popcnt", "bmi"}, {"fma", "avx2", "avx512f"}),
    ],
)
def test_features_of_x86(
    monkeypatch: pytest.MonkeyPatch, most: int, saves: bool, there: set[str], missing: set[str]
) -> None:
    """Features count if the processor has their leaf, and the system saves their registers."""
    monkeypatch.setattr(processor, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "exists", lambda _: True)
    monkeypatch.setattr(processor, "opened", lambda _: X86(most, saves))
    found = asked()
    assert there <= found
    assert not missing & found


def test_without_its_library_nothing_is_known_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "exists", lambda _: False)
    assert asked() == set()


def refused(_name: str) -> Any:
    raise OSError("it is torn")


def test_a_library_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "opened", refused)
    assert processor._fault("processor") == "the library processor of kernels cannot be loaded: it is torn"
    monkeypatch.setattr(processor, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "exists", lambda _: True)
    monkeypatch.setattr(processor, "level", lambda: None)
    assert processor.unavailable() == "the library processor of kernels cannot be loaded: it is torn"
    assert asked() == set()


def test_no_library_of_the_best_level(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = [level for level in processor.LEVELS if level.machine == "arm64" and not level.is_for_tests]
    monkeypatch.delenv(processor.VARIABLE, raising=False)
    monkeypatch.setattr(processor, "machine", lambda: "arm64")
    monkeypatch.setattr(processor, "features", lambda: levels[0].has)
    monkeypatch.setattr(processor, "level", lambda: None)
    monkeypatch.setattr(processor, "exists", lambda name: name == levels[-1].name)
    assert processor.unavailable() == f"the library of {levels[0].name} is missing"
    monkeypatch.setattr(host, "level", lambda: None)
    monkeypatch.setattr(host, "unavailable", lambda: "there are no kernels")
    monkeypatch.setattr(host, "built_for", [])
    with pytest.raises(ImportError, match=r"^there are no kernels$"):
        host._chosen()


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_the_registers_of_tiles(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    """Only Linux is asked for them, and may not know the question."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert not processor.permission.__wrapped__()


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A library of some bytes, and its signature."""
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    path = tmp_path / f"some{library.SUFFIX}"
    path.write_bytes(b"kernels")
    library.sign(path)
    return path


def test_a_library_of_another_build(built: Path) -> None:
    assert library.damage("some") is None
    size, digest, _ = library.note_of(built).read_text().split()
    library.note_of(built).write_text(f"{size} {digest} 00000000")
    assert library.damage("some") == "the Python files of irrun_kernels are not those that it was built from"
    with pytest.raises(OSError, match=r"not those that it was built from; install irrun-kernels again"):
        library.opened.__wrapped__("some")


def test_a_library_that_was_changed(built: Path) -> None:
    built.write_bytes(b"kernelz")
    assert library.damage("some") == "its bytes were changed"
    built.write_bytes(b"kern")
    assert library.damage("some") == "it has 4 bytes, expected 7"
    library.note_of(built).write_text("")
    assert library.damage("some") == "it has 4 bytes, expected 0"
    library.note_of(built).unlink()
    assert "No such file" in str(library.damage("some"))
