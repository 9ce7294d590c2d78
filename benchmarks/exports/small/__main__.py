"""Write the small configurations into ``tests/exports/models``, each as ``NAME.tar.xz``.

Run ``python -m exports.small`` in ``benchmarks``, or with names only for these. The archive has the IR and the inputs.
"""

from __future__ import annotations

import argparse
import io
import lzma
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from exports.small import NETWORKS

FOLDER: Final = Path(__file__).resolve().parents[3] / "tests" / "exports" / "models"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(NETWORKS), metavar="NAME")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            NETWORKS[name].write_coarse(Path(folder, "model"))
            data = archive(Path(folder))
        (options.folder / f"{name}.tar.xz").write_bytes(data)
        print(f"{name:28} {len(data) / 1024:6.1f} KiB", flush=True)


def archive(folder: Path) -> bytes:
    """The files of a folder, without times and owners, so that the same files make the same archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            item = tarfile.TarInfo(path.name)
            item.size = path.stat().st_size
            with path.open("rb") as content:
                tar.addfile(item, content)
    return lzma.compress(stream.getvalue(), preset=9 | lzma.PRESET_EXTREME)


if __name__ == "__main__":
    main()
