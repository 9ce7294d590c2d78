"""Files that a page of the documentation shows: blocks of code whose name ends the text before them."""

from __future__ import annotations

import re
from typing import Final

BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAME: Final = re.compile(r"`([\w.-]+)`:\s*\Z")


def files(text: str) -> dict[str, str]:
    """Return the files of a page by name."""
    named = ((NAME.search(text[: block.start()]), block[2]) for block in BLOCK.finditer(text))
    return {name[1]: content for name, content in named if name is not None}
