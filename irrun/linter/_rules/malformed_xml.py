from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class MalformedXml(Rule):
    """The file is not well-formed XML.

    ## What it does
    Reports the place where the text stops being XML, and a correction for obvious slips: an ellipsis in a tag, a
    closing tag without its `<` or its `/`, a value without quotes, a bare `&`. These slips are repaired while reading,
    so that the rest of the file is checked too.

    ## Why is this bad
    XML parsers reject the file. OpenVINO's lenient parser may misread it, or report only
    `Start-end tags mismatch at offset 2064`.

    ## Example
    `<dim>5/dim>`

    ## Use instead
    `<dim>5</dim>`
    """

    code = "IR101"
    name = "malformed-xml"
    faults = (faults.MalformedXml,)
    breaks = ("structure",)
