"""Write the small configurations into ``tests/exports/models``, each as ``NAME.tar.xz``.

Run ``python -m exports.small`` in ``benchmarks``, or with names only for these. The archive has the IR and the inputs.
With ``--twice``, the networks of ``TWICE`` are written into ``tests/exports/pairs``, each as the IR that OpenVINO makes
of the module, the ONNX file that PyTorch makes of it, and the IR of that.
"""

from __future__ import annotations

import argparse
import io
import lzma
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from exports.small import NETWORKS, TWICE

FOLDER: Final = Path(__file__).resolve().parents[3] / "tests" / "exports"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--twice", action="store_true")
    options = parser.parse_args()
    target = options.folder or FOLDER / ("pairs" if options.twice else "models")
    target.mkdir(parents=True, exist_ok=True)
    for name in options.names or (TWICE if options.twice else NETWORKS):
        network = NETWORKS[name]
        with tempfile.TemporaryDirectory() as folder:
            (network.write_twice if options.twice else network.write_coarse)(Path(folder, "model"))
            data = archive(Path(folder))
        (target / f"{name}.tar.xz").write_bytes(data)
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
