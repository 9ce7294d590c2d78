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
        self.path: Path = Path(path)
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

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        return (self.path / name).is_file()

    def file(self, name: str) -> Path:
        """Return the path of a file; GenerationError where it is absent."""
        if not (self.path / name).is_file():
            raise GenerationError(f"{self.path} has no {name}")
        return self.path / name

    def text(self, name: str) -> str | None:
        """Return the text of a file; None where it is absent, GenerationError where it is no UTF-8."""
        path = self.path / name
        return _text(path) if path.is_file() else None

    def json(self, name: str) -> Mapping[str, Any]:
        """Return the table in a JSON file; empty where there is no file, GenerationError where it is not a table."""
        path = self.path / name
        return json_table(path) if path.is_file() else {}


def json_table(path: Path) -> Mapping[str, Any]:
    """Return the table in a JSON file; GenerationError where there is no file, or it is not a table."""
    if not path.is_file():
        raise GenerationError(f"{path}: there is no such file")
    try:
        table = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise GenerationError(f"{path}: not JSON: {error}") from None
    if not isinstance(table, dict):
        raise GenerationError(f"{path} is not a JSON object, expected names and values")
    return table


def _text(path: Path) -> str:
    try:
        return content(path, _MOST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GenerationError(f"{path}: byte {error.start} is not UTF-8") from None


def positions(table: Mapping[str, Any]) -> int | None:
    """Return the number of positions that a model knows, of the table in ``config.json``."""
    inner = table.get("text_config")
    for name in ("max_position_embeddings", "n_positions", "seq_length"):
        for given in (table, inner if isinstance(inner, dict) else {}):
            if isinstance(value := given.get(name), int) and value > 0:
                return value
    return None
