"""Kernels that are compiled again when a source changes, and the folder of objects that tests of all clones share."""

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
from building.objects import PACKAGE, digest, forget, needed, objects, sources
from building.systems import BuildError, this_system
from irrun_kernels.host import LEVEL
from irrun_kernels.rows import layer_norm, softmax
from tests.plugins.kernels import kept, require_own

CODE = b"\x7fELF of a kernel"


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
    assert compiling.compiled(LEVEL, tmp_path, [], file) == []
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


def test_all_sources_are_compiled_the_longest_first() -> None:
    names = [path.stem for path in sources()]
    assert names[:2] == ["elementwise", "product"]
    assert sorted(names) == sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__")


def test_an_object_is_compiled_once(tmp_path: Path, compiled: list[str]) -> None:
    system = this_system()
    for _ in range(2):
        paths = objects(LEVEL, tmp_path, [system], [softmax, layer_norm])
        assert [path.read_bytes() for path in paths] == [CODE + b"softmax", CODE + b"layer_norm"]
    assert compiled == ["softmax", "layer_norm"]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    paths[0].unlink()
    assert objects(LEVEL, tmp_path, [system], [softmax, layer_norm]) == paths
    assert compiled == ["softmax", "layer_norm", "softmax"]


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
    with pytest.raises(pytest.UsageError, match="expected a folder that only you may write to"):
        require_own(refused)


def test_what_was_not_used_for_long_is_forgotten(tmp_path: Path, compiled: list[str]) -> None:
    system = this_system()
    first, second = objects(LEVEL, tmp_path, [system], [softmax, layer_norm])
    for number, path in enumerate((first, second)):
        os.utime(path, (number, number))
    objects(LEVEL, tmp_path, [system], [softmax])
    forget(tmp_path, most_bytes=first.stat().st_size)
    assert list(tmp_path.iterdir()) == [first]
    assert compiled == ["softmax", "layer_norm"]


def test_the_folder_is_in_the_cache_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "irrun-tests" / "objects"
    assert kept() == {"IRRUN_KERNELS_OBJECTS": str(folder)}
    if hasattr(os, "getuid"):
        assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert kept() == {"IRRUN_KERNELS_OBJECTS": str(tmp_path / ".cache" / "irrun-tests" / "objects")}
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept() == {}


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
