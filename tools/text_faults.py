"""Inputs of ``irrun generate`` that cannot be used: files, vocabularies, prompts and chat templates."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


def _edited(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / name
        path.write_bytes(change(path.read_bytes() if path.exists() else b""))

    return edit


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _replaced(name: str, source: str) -> Callable[[Path], None]:
    def replace(folder: Path) -> None:
        for suffix in ("xml", "bin"):
            shutil.copyfile(f"{source}.{suffix}", folder / f"{name}.{suffix}")

    return replace


class Case(NamedTuple):
    """An input that cannot be used: what is wrong, the arguments, and what makes the folder so."""

    what: str
    arguments: tuple[str, ...]
    break_: Callable[[Path], None] | None = None


def cases(folder: Path) -> list[Case]:
    """Return the inputs that cannot be used; ``{}`` in their arguments is a copy of a model's folder."""
    other, encoder = folder / "qwen2" / "ov", folder / "embedder" / "ov"
    prompt = ("generate", "{}", "Once upon a time", "--max-new-tokens", "4")
    model, tokenizer, detokenizer = (f"openvino_{name}" for name in ("model", "tokenizer", "detokenizer"))
    template = "chat_template.jinja"
    nested = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    return [
        *[Case(f"no {name}.xml", prompt, _without(f"{name}.xml")) for name in (model, tokenizer, detokenizer)],
        *[Case(f"no {name}.bin", prompt, _without(f"{name}.bin")) for name in (model, tokenizer, detokenizer)],
        Case("half a model", prompt, _edited(f"{model}.xml", lambda data: data[: len(data) // 2])),
        Case("half the weights", prompt, _edited(f"{model}.bin", lambda data: data[: len(data) // 2])),
        Case("half a tokenizer", prompt, _edited(f"{tokenizer}.bin", lambda data: data[: len(data) // 2])),
        Case("an empty model", prompt, _edited(f"{model}.xml", lambda _: b"")),
        Case("config.json is no JSON", prompt, _edited("config.json", lambda _: b"{")),
        Case("generation_config.json is a list", prompt, _edited("generation_config.json", lambda _: b"[1]")),
        Case("settings of another kind", prompt, _edited("generation_config.json", lambda _: b'{"top_p": "x"}')),
        Case("a tokenizer of another model", prompt, _replaced(tokenizer, str(encoder / tokenizer))),
        Case("a vocabulary that is too large", prompt, _replaced(model, str(other / model))),
        Case("an encoder", prompt, _replaced(model, str(encoder / model))),
        Case("a language model that embeds", ("embed", "{}", "Otto")),
        Case("a folder that there is not", ("generate", "{}/none", "Otto")),
        Case("a file", ("generate", "{}/config.json", "Otto")),
        Case("an empty prompt", ("generate", "{}", "")),
        Case("a prompt beyond the positions", ("generate", "{}", "Once upon a time there was " * 100)),
        Case("as many tokens as there are positions", ("generate", "{}", "Once", "--max-new-tokens", "100000")),
        *[
            Case(f"template {text[:30]}", prompt, _edited(template, lambda _, text=text: text.encode()))  # type: ignore[misc]
            for text in ("{% if %}", "{{ 1 / 0 }}", "{% break %}", "{{ ''.__class__.__mro__ }}", nested)
        ],
        Case("a template that is not UTF-8", prompt, _edited(template, lambda _: b"\xff")),
        Case("a template that is empty", prompt, _edited(template, lambda _: b"")),
        Case("no template", ("generate", "{}", "--chat", "Otto"), _edited(template, lambda _: b"")),
    ]


def bad_inputs(folder: Path) -> list[tuple[str, int, str]]:
    """Run the command on inputs that cannot be used; return what is wrong, the exit status and the last line."""
    rows = []
    for case in cases(folder):
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / "model"
            shutil.copytree(folder / "llama" / "ov", copy)
            if case.break_ is not None:
                case.break_(copy)
            arguments = [argument.replace("{}", str(copy)) for argument in case.arguments]
            command = [sys.executable, "-m", "irrun", *arguments]
            found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            written = f"a text of {len(found.stdout.strip()):,} characters"
            lines = found.stderr.strip().splitlines() or [written]
            text = next((line for line in lines if "error: " in line), lines[-1]).replace(place, "")
            rows.append((case.what, found.returncode, text if "Traceback" not in found.stderr else "Traceback"))
    return rows
