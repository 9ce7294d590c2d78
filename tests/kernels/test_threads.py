from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.kernels.threads as threads_module
from irrun.kernels.threads import _quota, available, scratch, set_threads


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "100000 100000"}, 1),
        ({"cpu.max": "max 100000"}, 1 << 16),
        ({"cpu/cpu.cfs_quota_us": "400000", "cpu/cpu.cfs_period_us": "100000"}, 4),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 1 << 16),
        ({}, 1 << 16),
    ],
)
def test_quota_of_a_control_group(tmp_path: Path, files: dict[str, str], wanted: int) -> None:
    _write(tmp_path / "sys/fs/cgroup", files)
    assert _quota(tmp_path) == wanted


@pytest.mark.parametrize(
    ("files", "groups", "wanted"),
    [
        ({"a/b/cpu.max": "100000 100000"}, ("a/b", ""), 1),
        ({"a/cpu.max": "200000 100000", "a/b/cpu.max": "max 100000"}, ("a/b", ""), 2),
        ({"unified/a/cpu.max": "300000 100000"}, ("a", ""), 3),
        ({"cpu.max": "100000 100000"}, ("host/name/of/the/container", ""), 1),
        ({"cpu/a/cpu.cfs_quota_us": "50000", "cpu/a/cpu.cfs_period_us": "100000"}, ("", "a"), 1),
        ({"b/cpu.max": "100000 100000"}, ("a", "a"), 1 << 16),
    ],
)
def test_quota_of_a_group_within_groups(
    tmp_path: Path, files: dict[str, str], groups: tuple[str, str], wanted: int
) -> None:
    _write(tmp_path / "sys/fs/cgroup", files)
    _write(tmp_path / "proc/self", {"cgroup": f"4:cpuacct,cpu:/{groups[1]}\n0::/{groups[0]}\n"})
    assert _quota(tmp_path) == wanted


def test_a_quota_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, quota = [0.0], [2]
    monkeypatch.setattr(threads_module.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(threads_module, "by_affinity", lambda: 8)
    monkeypatch.setattr(threads_module, "_quota", lambda *_: quota[0])
    threads_module._available.cache_clear()
    assert available() == 2
    quota[0] = 1
    assert available() == 2
    seconds[0] = 1.5
    assert available() == 1
    threads_module._available.cache_clear()


def test_threads_below_one() -> None:
    with pytest.raises(ValueError, match="0 threads, expected at least 1"):
        set_threads(0)


def test_scratch_is_reused_and_aligned() -> None:
    first = scratch("test", (100, 3), np.float32)
    second = scratch("test", (10,), np.float64)
    assert first.ctypes.data == second.ctypes.data
    assert first.ctypes.data % 64 == 0
    assert second.shape == (10,)
