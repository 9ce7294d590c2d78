from __future__ import annotations

from irrun.linter.examples import CLAMP, NET
from irrun.linter.rule import Rule


class MalformedXml(Rule):
    """The file is not well-formed XML.

    ## What it does
    Reports the place where the text stops being XML, and what was meant where that is plain: an ellipsis in a tag,
    a closing tag that has lost its `<` or its `/`, a value without quotes, a bare `&`. Such slips are mended while
    reading, and the rest of the file is checked as well.

    ## Why is this bad
    No XML parser reads the file. OpenVINO's is lenient and may read something else than was written, or say no more
    than `Start-end tags mismatch at offset 2064`.

    ## Example
    `<dim>5/dim>`

    ## Use instead
    `<dim>5</dim>`
    """

    code = "IR101"
    name = "malformed-xml"
    stage = "document"
    good = (CLAMP, NET)
    bad = (
        CLAMP.replace("<dim>3</dim>", "<dim>3/dim>", 1),
        CLAMP.replace("<dim>3</dim>", "<dim>3<dim>", 1),
        CLAMP.replace('id="1" name="clip"', "..."),
        CLAMP.replace('min="0"', "min=0"),
        CLAMP.replace("clip", "clip & cut"),
        NET.replace("</edges>", "</edge>"),
        NET[:700],
        "",
    )
