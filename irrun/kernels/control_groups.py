"""The control groups of this process: folders with files that say what it may use, as the system has them."""

from __future__ import annotations

from pathlib import Path


def control_groups(controller: str, root: Path = Path("/")) -> list[Path]:
    """Return the folders of the groups of a controller, of version 2 and 1, and of those around them.

    ``root`` is the folder with ``proc`` and ``sys``. Inside of a container the groups may not exist: then the outermost
    folder is that of the container.
    """
    base = root / "sys/fs/cgroup"
    found: list[Path] = []
    for line in (text_of(root / "proc/self/cgroup") or f"0::/\n1:{controller}:/").splitlines():
        _, controllers, path = line.split(":", 2)
        mounts = [base, base / "unified"] if not controllers else [base / controller]
        if not controllers or controller in controllers.split(","):
            parts = Path(path.strip("/")).parts
            found += [mount.joinpath(*parts[:count]) for mount in mounts for count in range(len(parts), -1, -1)]
    return found


def text_of(path: Path) -> str:
    """Return the text of a file of the system; nothing if it cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
