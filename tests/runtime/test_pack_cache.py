"""Packed weights on the disk: results are those without a cache, whatever is in the folder."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import irrun
import irrun.model
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array
from tests.nets import Net

pytestmark = pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")

SIZE = 192
SHAPE = (3, SIZE)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    net = Net()
    x = net.layer("MatMul", [net.parameter("x", f"{SHAPE[0]},{SIZE}"), net.normal(SIZE, SIZE)])
    net.result(net.layer("MatMul", [net.layer("ReLU", [x]), net.normal(SIZE, SIZE)], transpose_b=True))
    return net.save(tmp_path_factory.mktemp("net") / "net.xml")


X = np.random.default_rng(3).standard_normal(SHAPE, dtype=np.float32)


def run(model: Path, folder: Path | str, **config: object) -> Array:
    compiled = irrun.model.build(model, {"CACHE_DIR": folder, "TIER": "compiled", **config})
    found = compiled(X)[0]
    assert compiled.executor.last == "compiled"
    return found


@pytest.fixture(scope="module")
def expected(model: Path) -> Array:
    return run(model, "")


@pytest.fixture
def filled(model: Path, tmp_path: Path, expected: Array) -> Path:
    folder = tmp_path / "cache"
    np.testing.assert_array_equal(run(model, folder), expected)
    return folder


@pytest.fixture
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.usefixtures("no_warnings")
def test_arrays_are_stored_once_and_for_the_user(model: Path, filled: Path, expected: Array) -> None:
    first = {path: path.stat() for path in files(filled)}
    assert [path.suffix for path in first] == [".packed"] * 2
    assert filled.stat().st_mode & 0o777 == 0o700
    assert {each.st_mode & 0o777 for each in first.values()} == {0o600}
    np.testing.assert_array_equal(run(model, filled), expected)
    assert {path: path.stat().st_ino for path in files(filled)} == {path: each.st_ino for path, each in first.items()}


def test_openvino_has_the_property(model: Path, tmp_path: Path, expected: Array) -> None:
    core = irrun.Core()
    core.set_property({"CACHE_DIR": str(tmp_path / "one")})
    assert core.get_property("CACHE_DIR") == str(tmp_path / "one")
    for index, compiled in enumerate(
        (
            core.compile_model(model, "CPU", {"TIER": "compiled"}),
            irrun.compile_model(model, "CPU", {"CACHE_DIR": str(tmp_path / "two"), "TIER": "compiled"}),
        )
    ):
        np.testing.assert_array_equal(compiled(X)[0], expected)
        assert len(files(tmp_path / ("one", "two")[index])) == 2


@pytest.mark.parametrize("fault", ["cut", "flipped", "empty", "foreign", "another array", "text", "link", "folder"])
def test_files_that_cannot_be_trusted(model: Path, filled: Path, expected: Array, fault: str) -> None:
    path, other = files(filled)
    whole = path.read_bytes()
    if fault == "cut":
        path.write_bytes(whole[:-1000])
    elif fault == "flipped":
        path.write_bytes(whole[:70000] + bytes([whole[70000] ^ 1]) + whole[70001:])
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "foreign":
        path.chmod(0o666)
        path.write_bytes(whole[:-4] + b"\0\0\0\0")
    elif fault == "another array":
        path.write_bytes(whole[:4096].replace(b"<f4", b"|O8") + whole[4096:])
    elif fault == "text":
        path.write_bytes(b"cos\nsystem\n(S'false'\ntR." * 1000)
    else:
        path.unlink()
        path.mkdir() if fault == "folder" else path.symlink_to(other)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(run(model, filled), expected)
    assert len(seen) == (fault == "folder")
    if fault != "folder":
        assert path.read_bytes() == whole
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users are those of POSIX")
@pytest.mark.parametrize("whose", ["folder", "files", "writable"])
def test_another_user(model: Path, filled: Path, expected: Array, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What belongs to another user, or may be written by one, is not read, and a folder not written to."""
    before = {path: path.stat().st_mtime_ns for path in files(filled)}
    if whose == "writable":
        filled.chmod(0o777)
    elif whose == "folder":
        monkeypatch.setattr(os, "geteuid", lambda: 1_000_000)
    else:
        real = os.fstat

        def fstat(handle: int) -> os.stat_result:
            return os.stat_result([*real(handle)[:4], 4711, *real(handle)[5:]])

        monkeypatch.setattr(os, "fstat", fstat)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(run(model, filled), expected)
    why = {"folder": "it belongs to another user", "writable": "other users may write to it"}.get(whose)
    assert [str(each.message) for each in seen] == ([f"CACHE_DIR {filled} is not used: {why}"] if why else [])
    if why:
        assert {path: path.stat().st_mtime_ns for path in files(filled)} == before


@pytest.mark.parametrize("fault", ["read-only", "a file", "no room"])
def test_a_folder_that_cannot_be_written(
    model: Path, tmp_path: Path, expected: Array, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One warning for two arrays; the model runs."""
    folder = tmp_path / "cache"
    if fault == "a file":
        folder.write_text("this is not a folder")
    elif fault == "read-only":
        folder.mkdir(mode=0o700)

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("irrun.runtime.pack_cache.tempfile.mkstemp", refuse)
    else:
        monkeypatch.setattr("irrun.runtime.pack_cache.shutil.disk_usage", lambda _: _Usage())
    with pytest.warns(RuntimeWarning, match=r"^CACHE_DIR .*cache is not (used|written to): ") as seen:
        np.testing.assert_array_equal(run(model, folder), expected)
    assert len(seen) == 1


class _Usage:
    free = 0


@pytest.mark.usefixtures("no_warnings")
def test_the_oldest_files_leave(model: Path, filled: Path, expected: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = files(filled)
    os.utime(old, (1, 1))
    left = filled / "1234.part"
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    kept = filled / "notes.txt"
    kept.write_text("not a file of a cache")
    new.rename(filled / ("0" * 64 + ".packed"))
    monkeypatch.setattr("irrun.runtime.pack_cache.MOST", 2 * old.stat().st_size + 5000)
    np.testing.assert_array_equal(run(model, filled), expected)
    assert sorted(path.suffix for path in files(filled)) == [".packed", ".packed", ".txt"]


def test_weights_that_differ_in_the_order_of_words(tmp_path: Path) -> None:
    """Two models whose weights are the same numbers in another order have files of their own."""
    random = np.random.default_rng(5)
    weights = random.standard_normal((SIZE, SIZE), dtype=np.float32)
    swapped = weights.copy()
    swapped[0, :4] = weights[0, [2, 3, 0, 1]]
    for index, each in enumerate((weights, swapped)):
        net = Net()
        net.result(net.layer("MatMul", [net.parameter("x", f"{SHAPE[0]},{SIZE}"), net.constant(each)]))
        path = net.save(tmp_path / f"net{index}.xml")
        np.testing.assert_array_equal(run(path, tmp_path / "cache"), run(path, ""))
    assert len(files(tmp_path / "cache")) == 2


@pytest.mark.bails_out("a file of CACHE_DIR was cut short")
def test_a_file_that_is_cut_short_while_it_is_used(model: Path, filled: Path, expected: Array) -> None:
    """The weights are packed again, and no results with zeros are returned."""
    compiled = irrun.model.build(model, {"CACHE_DIR": filled, "TIER": "compiled"})
    for path in files(filled):
        os.truncate(path, 4096)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(X)[0], expected)
    assert compiled.executor.account["bailouts"] == {"a file of CACHE_DIR was cut short while it was in use": 1}
    assert compiled.executor.account["runs_by_tier"]["compiled"] == 2


def _worker(model: Path, folder: Path, start: object, results: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    results.put(run(model, folder))  # type: ignore[attr-defined]


def test_two_processes_fill_it_at_once(model: Path, tmp_path: Path, expected: Array) -> None:
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(2), context.Queue()
    workers = [context.Process(target=_worker, args=(model, tmp_path / "cache", start, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in workers:
        np.testing.assert_array_equal(results.get(timeout=60), expected)
    for worker in workers:
        worker.join()
    assert [path.suffix for path in files(tmp_path / "cache")] == [".packed"] * 2


@pytest.mark.parametrize("value", [7, ["folder"]])
def test_a_value_that_is_no_folder(value: object) -> None:
    with pytest.raises(irrun.model.config.ConfigError, match=r"^CACHE_DIR is .*, expected the path of a folder$"):
        irrun.model.config.read_config({"CACHE_DIR": value})
