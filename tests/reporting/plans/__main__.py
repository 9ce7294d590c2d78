"""Write the texts of all networks again."""

import tempfile
from pathlib import Path

from tests.reporting.plans.nets import NETS
from tests.reporting.plans.texts import FOLDER, texts

for name in NETS:
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in texts(name, Path(folder)).items():
            (FOLDER / f"{name}.{kind}").write_text(text, encoding="utf-8")
