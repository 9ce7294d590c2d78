"""``python -m irrun.openvino``: Python, in which ``import openvino`` imports irrun.

The arguments are those of ``python``: a program with its arguments, ``-m module`` or ``-c command``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Run Python with a module ``openvino`` of irrun's, which precedes an installed one."""
    path = [str(Path(__file__).with_name("importing") / "path"), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, *sys.argv[1:]]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    raise SystemExit(subprocess.call(command, env=environment))


if __name__ == "__main__":
    main()
