from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class HostileMarkup(Rule):
    """The file contains markup that may harm its reader.

    ## What it does
    Rejects document type declarations and their entities, files above one gigabyte, elements nested more than 255 deep,
    and bodies nested more than 80 deep.

    ## Why is this bad
    A few lines can expand to gigabytes, read other files, or exhaust the stack. No IR needs any of these.

    ## Example
    `<!DOCTYPE net [<!ENTITY a "…">]>`

    ## Use instead
    No document type declaration.
    """

    code = "IR901"
    name = "hostile-markup"
    faults = (faults.HostileMarkup,)
