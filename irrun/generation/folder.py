"""The files of a model as optimum-intel writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from irrun.document.files import content
from irrun.generation.errors import GenerationError

MODEL: Final = "openvino_model.xml"
TOKENIZER: Final = "openvino_tokenizer.xml"
DETOKENIZER: Final = "openvino_detokenizer.xml"

_OTHER_KINDS: Final[Mapping[str, str]] = {
    "openvino_encoder_model.xml": "an encoder and a decoder, whose models you can run one by one",
    "openvino_language_model.xml": "a model of text and images",
    "openvino_unet_model.xml": "a pipeline that makes images",
    "openvino_transformer.xml": "a pipeline that makes images",
}
_MOST: Final = 1 << 26
"""The limit on bytes of a file with settings; templates of chats and lists of added tokens are long."""


class Folder:
    """A folder with a model, its tokenizer and their settings; GenerationError where it has no model."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_file():
            raise GenerationError(f"{self.path} is a file, expected the folder of {MODEL}")
        if not self.path.is_dir():
            raise GenerationError(f"{self.path}: there is no such folder")

    def model(self) -> Path:
        """Return the path of the model; GenerationError where there is none."""
        for name, what in _OTHER_KINDS.items():
            if not (self.path / MODEL).is_file() and (self.path / name).is_file():
                raise GenerationError(f"{self.path} has {name} and no {MODEL}: {what}")
        return self.file(MODEL)

    def file(self, name: str) -> Path:
        """Return the path of a file; GenerationError where it is absent."""
        if not (self.path / name).is_file():
            raise GenerationError(f"{self.path} has no {name}")
        return self.path / name

    def text(self, name: str) -> str | None:
        """Return the text of a file; None where it is absent, GenerationError where it is no UTF-8."""
        if not (self.path / name).is_file():
            return None
        try:
            return content(self.path / name, _MOST).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise GenerationError(f"{self.path / name}: byte {error.start} is not UTF-8") from None

    def json(self, name: str) -> Mapping[str, Any]:
        """Return the table in a JSON file; empty where there is no file, GenerationError where it is not a table."""
        text = self.text(name)
        try:
            table = {} if text is None else json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GenerationError(f"{self.path / name}: not JSON: {error}") from None
        if not isinstance(table, dict):
            raise GenerationError(f"{self.path / name} is not a JSON object, expected names and values")
        return table
