"""Kernels that are compiled again when a source changes, and objects that are kept for the tests of other clones."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from building import objects as compiling
from building.checks import without_addresses
from building.kept import KeptObjects, write
from building.objects import PACKAGE, claimed, declared, digest, needed, objects
from building.systems import BuildError, this_system
from irrun_kernels.host import LEVEL
from irrun_kernels.rows import layer_norm, softmax

CODE = b"\x7fELF of a kernel"


@pytest.fixture
def kept(tmp_path: Path) -> KeptObjects:
    (tmp_path / "kept").mkdir(mode=0o700)
    return KeptObjects(tmp_path / "kept")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is compiled, to the same code each time."""
    names: list[str] = []

    def code_of(function: Any) -> str:
        names.append(function.name)
        return function.name

    fake = SimpleNamespace(code_of=code_of, object_of=lambda code, _: CODE + code.encode())
    monkeypatch.setitem(sys.modules, "building.compiler", fake)
    return names


@pytest.mark.parametrize("name", ["integers", "angles", "real", "functions", "vectors", "micro"])
def test_a_chain_depends_on_the_functions_of_its_elements(name: str) -> None:
    is_needed = PACKAGE / f"{name}.py" in needed(PACKAGE / "elementwise.py")
    assert is_needed == (name != "micro")


def test_all_sources_that_are_needed_are_there() -> None:
    assert [path for file in PACKAGE.glob("*.py") for path in needed(file) if not path.exists()] == []


def test_what_decides_on_the_code_decides_on_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    file = PACKAGE / "rows.py"
    found = {digest(file, LEVEL), digest(PACKAGE / "top.py", LEVEL), digest(file, LEVEL._replace(features="avx"))}
    for name in ("numba", "llvmlite", "numpy"):
        with monkeypatch.context() as patch:
            patch.setattr(compiling, "version", lambda one, name=name: "0" if one == name else "1")
            found.add(digest(file, LEVEL))
    monkeypatch.setenv("NUMBA_OPT", "0")
    found.add(digest(file, LEVEL))
    assert len(found) == 7
    assert digest(file, LEVEL) in found


def test_a_source_that_changes_while_others_are_compiled_has_the_digest_of_its_code(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("")
    assert declared(str(file)) == []
    before = digest(file, LEVEL)
    file.write_text("x = 1")
    assert digest(file, LEVEL) == before


def test_no_address_of_the_compiling_process_is_in_the_code() -> None:
    stored = "@numba.dynamic.globals.7fd9ae03a7b0 = linkonce global ptr inttoptr (i64 140572904105904 to ptr)"
    small = "%a = inttoptr (i64 64 to ptr)"
    assert without_addresses(f"{stored}\n{small}") == (
        f"@numba.dynamic.globals.7fd9ae03a7b0 = linkonce global ptr null\n{small}"
    )
    with pytest.raises(BuildError, match=r"has an address of the process that compiles it: store ptr inttoptr"):
        without_addresses("store ptr inttoptr (i64 140572904105904 to ptr), ptr %x")


def test_processes_share_all_functions_the_longest_first(tmp_path: Path) -> None:
    functions = declared()
    first, second = claimed(tmp_path, functions), claimed(tmp_path, functions)
    shares = [next(first), next(second), *first, *second]
    assert [one.name for one in shares[0]] == ["chain"]
    assert [one.name for one in shares[1]] == ["product", "integer_product"]
    assert sorted(one.symbol for share in shares for one in share) == sorted(one.symbol for one in functions)


def test_an_object_is_compiled_once_for_all_clones(tmp_path: Path, kept: KeptObjects, compiled: list[str]) -> None:
    system = this_system()
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        paths = objects(LEVEL, folder, [system], [softmax, layer_norm], kept)
        assert [path.read_bytes() for path in paths] == [CODE + b"softmax", CODE + b"layer_norm"]
    assert compiled == ["softmax", "layer_norm"]
    assert [path.name for path in folders[0].iterdir()] == [path.name for path in folders[1].iterdir()]


@pytest.mark.parametrize("change", ["byte", "end", "all", "name"])
def test_a_changed_object_is_compiled_again(
    tmp_path: Path, kept: KeptObjects, compiled: list[str], change: str
) -> None:
    system, (a, b) = this_system(), (tmp_path / "a", tmp_path / "b")
    a.mkdir()
    b.mkdir()
    objects(LEVEL, a, [system], [softmax, layer_norm], kept)
    (path,) = kept.folder.glob("*softmax*")
    (other,) = kept.folder.glob("*layer_norm*")
    data = path.read_bytes()
    changed = {"byte": data[:-1] + b"?", "end": data[:-1], "all": b"", "name": other.read_bytes()}
    path.write_bytes(changed[change])
    (made,) = objects(LEVEL, b, [system], [softmax], kept)
    assert made.read_bytes() == CODE + b"softmax"
    assert compiled == ["softmax", "layer_norm", "softmax"]
    assert path.read_bytes() == data


def test_without_a_folder_nothing_is_kept(tmp_path: Path, kept: KeptObjects, compiled: list[str]) -> None:
    objects(LEVEL, tmp_path, [this_system()], [softmax])
    assert compiled == ["softmax"]
    assert list(kept.folder.iterdir()) == []


@pytest.fixture
def refused(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    if request.param == "link":
        (tmp_path / "link").symlink_to(folder)
        yield tmp_path / "link"
        return
    if request.param == "of another user":
        monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    else:
        folder.chmod(request.param)
    yield folder
    folder.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no modes of files")
@pytest.mark.parametrize("refused", [0o770, 0o702, "of another user", "link"], indirect=True)
def test_a_folder_that_others_may_write_to_is_refused(refused: Path) -> None:
    with pytest.raises(BuildError, match="expected a folder that only you may write to"):
        KeptObjects(refused)


def test_what_was_not_used_for_long_is_forgotten(tmp_path: Path) -> None:
    kept = KeptObjects(tmp_path, most_bytes=250)
    for number, name in enumerate(("first", "second", "third")):
        write(tmp_path / name, bytes(100))
        os.utime(tmp_path / name, (number, number))
    (tmp_path / "clone").mkdir()
    write(tmp_path / "clone" / "object", b"code")
    kept.keep(tmp_path / "clone" / "object")
    (tmp_path / "clone" / "object").unlink()
    (tmp_path / "clone").rmdir()
    kept.forget()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["object", "second", "third"]


def test_the_folder_is_in_the_cache_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.plugins import kernels

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "irrun-tests" / "kernels"
    assert kernels.kept() == ["--kept", str(folder)]
    assert KeptObjects(folder).folder == folder
    if hasattr(os, "getuid"):
        assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert kernels.kept() == ["--kept", str(tmp_path / ".cache" / "irrun-tests" / "kernels")]
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kernels.kept() == []


def test_a_wheel_has_what_was_built_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what tests have built in this clone, which may come from another one."""
    from building import libraries
    from hatch_build import CustomBuildHook

    calls: list[tuple[Any, ...]] = []

    def build(_: Any, folders: Any, *options: Any) -> None:
        calls.append(options)
        for folder in folders.values():
            folder.mkdir(parents=True)
            (folder / "level.so").touch()

    monkeypatch.setattr(libraries, "build", build)
    monkeypatch.setattr(libraries, "ROOT", tmp_path)
    monkeypatch.delenv("IRRUN_KERNELS_LIBRARIES", raising=False)
    hook = CustomBuildHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")  # type: ignore[arg-type]
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    assert data["force_include"] == {str(tmp_path / "build" / "wheel" / "level.so"): "irrun_kernels/libraries/level.so"}
    assert calls == [()]
