"""The HTML page around the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any


def page(data: Mapping[str, Any], title: str) -> str:
    """Return a page that shows the data of ``contents``, with everything that it needs inside."""
    assets = files(__package__) / "assets"
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    parts = {
        "title": escape(title),
        "style": (assets / "page.css").read_text(encoding="utf-8"),
        "data": text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
        "script": "\n".join(
            (assets / name).read_text(encoding="utf-8") for name in ("scene.js", "details.js", "page.js")
        ),
    }
    template = (assets / "page.html").read_text(encoding="utf-8")
    pieces = template.split("%%")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))
