"""Only regular files are read; files are replaced as a whole, with what belongs to them."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import irrun.model
from irrun.document.files import content, opened
from irrun.document.replacing import clear, replacing
from irrun.linter import lint
from tests.processes import interrupted

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes, locks and attributes of Linux")


def replace(path: Path, before: bytes | None, after: bytes) -> None:
    with replacing(path, before) as file:
        file.write(after)


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "model.xml"
    path.write_bytes(b"before")
    return path


@pytest.mark.parametrize("read", [opened, irrun.model.load, lint], ids=["opened", "read_model", "lint"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, read: object) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.xml"))
    (tmp_path / "folder.xml").mkdir()
    (tmp_path / "device.xml").symlink_to("/dev/zero")
    expected = {
        "pipe.xml": "a named pipe, expected a regular file",
        "socket.xml": "a socket, expected a regular file",
        "device.xml": "a device, expected a regular file",
        "folder.xml": "Is a directory",
    }
    for name, reason in expected.items():
        with pytest.raises(OSError, match=reason) as caught:
            read(tmp_path / name)  # type: ignore[operator]
        assert caught.value.filename == str(tmp_path / name)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_closes_no_descriptor_twice(path: Path) -> None:
    for event in range(1, interrupted(lambda: opened(path).close(), -1) + 1):
        interrupted(lambda: opened(path).close(), event)
    assert content(path) == b"before"


def test_a_pipe_as_weights_is_refused(tmp_path: Path, path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.bin")
    path.write_bytes(b'<net name="n" version="11"><layers/><edges/></net>')
    with pytest.raises(OSError, match="a named pipe, expected a regular file"):
        irrun.model.load(path, tmp_path / "pipe.bin")
    (tmp_path / "pipe.bin").rename(tmp_path / "model.bin")
    assert not irrun.model.load(path).document.weights.exists


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        replace(tmp_path / "new.npy", None, b"content")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new.npy").stat().st_mode) == 0o640
    assert names(tmp_path) == ["new.npy"]


def test_mode_owner_and_attributes_are_kept(path: Path) -> None:
    path.chmod(0o751)
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    if os.geteuid() == 0:
        os.chown(path, 4321, 1234)
    before = path.stat()
    replace(path, b"before", b"after")
    after = path.stat()
    assert path.read_bytes() == b"after"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert os.getxattr(path, "user.note") == b"mine"


def test_an_owner_that_cannot_be_kept_is_a_refusal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.fchmod", refuse)
    with pytest.raises(OSError, match="its owner, mode or attributes cannot be kept: Operation not permitted"):
        replace(path, b"before", b"after")
    assert path.read_bytes() == b"before"
    assert names(path.parent) == ["model.xml"]
    replace(path, None, b"after")
    assert path.read_bytes() == b"after"


def test_hard_links_are_not_separated(path: Path) -> None:
    (path.parent / "twin.xml").hardlink_to(path)
    with pytest.raises(OSError, match="it has 2 hard links, which a new file would separate; copy it first"):
        replace(path, b"before", b"after")
    assert path.samefile(path.parent / "twin.xml")
    assert path.read_bytes() == b"before"


def test_what_another_process_wrote_is_kept(path: Path) -> None:
    def meanwhile() -> None:
        with replacing(path, b"before") as file:
            file.write(b"after")
            path.write_bytes(b"theirs")

    with pytest.raises(OSError, match="another process has changed it in the meantime"):
        meanwhile()
    assert path.read_bytes() == b"theirs"
    assert names(path.parent) == ["model.xml"]


def test_two_writers_exclude_each_other(path: Path) -> None:
    with replacing(path) as file:
        file.write(b"first")
        with pytest.raises(OSError, match="another process is writing it"):
            replace(path, None, b"second")
    assert path.read_bytes() == b"first"
    assert names(path.parent) == ["model.xml"]


@pytest.mark.parametrize("end", ["replace", "clear"])
def test_what_a_killed_process_left_is_cleared(path: Path, end: str) -> None:
    code = (
        "import os, signal, sys, pathlib\nfrom irrun.document.replacing import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as file:\n"
        "    file.write(b'half')\n    file.flush()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"before"
    assert names(path.parent) == [".model.xml.irrun", "model.xml"]
    if end == "clear":
        clear(path)
        assert path.read_bytes() == b"before"
    else:
        replace(path, b"before", b"after")
        assert path.read_bytes() == b"after"
    assert names(path.parent) == ["model.xml"]


def test_a_prepared_link_is_not_followed(path: Path) -> None:
    victim = path.parent / "victim"
    victim.write_bytes(b"precious")
    beside = path.parent / ".model.xml.irrun"
    beside.symlink_to(victim)
    with pytest.raises(OSError, match="in its folder"):
        replace(path, None, b"after")
    beside.unlink()
    beside.hardlink_to(victim)
    with pytest.raises(OSError, match=r"\.model\.xml\.irrun beside it belongs to another user"):
        replace(path, None, b"after")
    assert victim.read_bytes() == b"precious"


def test_an_error_leaves_the_file_as_it_was(path: Path) -> None:
    def interrupted() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"before"
    assert names(path.parent) == ["model.xml"]


def test_a_device_is_written_to() -> None:
    replace(Path("/dev/null"), None, b"nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_long_name_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 251 + ".xml")
    path.write_bytes(b"before")
    replace(path, b"before", b"after")
    assert path.read_bytes() == b"after"
    assert names(tmp_path) == [path.name]


def test_a_pipe_that_the_process_was_given_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"content")
    os.close(writing)
    with opened(Path(f"/dev/fd/{reading}")) as file:
        assert file.read() == b"content"
    os.close(reading)


def test_a_file_that_becomes_a_pipe_before_it_is_open_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(path.parent / "pipe")
    pipe = os.stat(path.parent / "pipe")
    held = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr("os.fstat", lambda _: pipe)
        with pytest.raises(OSError, match="a named pipe, expected a regular file"):
            opened(path)
    assert len(os.listdir("/proc/self/fd")) == held


def test_a_file_that_must_not_be_written_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match="Permission denied") as caught:
        replace(path, b"before", b"after")
    assert caught.value.filename == str(path)
    assert (path.read_bytes(), names(path.parent)) == (b"before", ["model.xml"])


def test_a_file_beside_that_another_process_removes_is_made_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, locks = path.parent / ".model.xml.irrun", []

    def lock(handle: int, _: int) -> None:
        locks.append(handle)
        if len(locks) == 1:
            beside.unlink()

    monkeypatch.setattr("fcntl.flock", lock)
    replace(path, b"before", b"after")
    assert len(locks) == 2
    assert (path.read_bytes(), names(path.parent)) == (b"after", ["model.xml"])


def test_a_system_without_locks_owners_and_attributes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.document.replacing.fcntl", None)
    monkeypatch.delattr("os.fchown")
    monkeypatch.delattr("os.listxattr")
    replace(path, b"before", b"after")
    assert (path.read_bytes(), names(path.parent)) == (b"after", ["model.xml"])


@pytest.mark.parametrize(
    ("code", "after"), [(errno.ENOTSUP, b"after"), (errno.ENOSYS, b"after"), (errno.EIO, b"before")]
)
def test_attributes_that_cannot_be_listed(path: Path, monkeypatch: pytest.MonkeyPatch, code: int, after: bytes) -> None:
    def fail(_: Path) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr("os.listxattr", fail)
    refusal = pytest.raises(OSError, match="its owner, mode or attributes cannot be kept: no")
    with contextlib.nullcontext() if after == b"after" else refusal:
        replace(path, b"before", b"after")
    assert path.read_bytes() == after
