"""The faults that reading a file finds."""

from __future__ import annotations

from collections.abc import Sequence

from irrun.diagnostics import Anchor, Fault, Suggestion, did_you_mean
from irrun.diagnostics.fault import Said


class MalformedXml(Said):
    """A text that is not well-formed XML."""

    code = "IR101"


class NotAnIr(Said):
    """A file that is no IR, or of an unknown version."""

    code = "IR102"


class LfsPointer(Said):
    """A Git LFS pointer in place of the file."""

    code = "IR505"


class HostileMarkup(Said):
    """Content that is unsafe to read."""

    code = "IR901"


class MissingPrecision(Fault):
    """An output port without the precision that OpenVINO requires."""

    code = "IR103"
    words = "<port> has no precision, OpenVINO refuses the file"


class UnknownElement(Fault):
    """An element that its parent does not have."""

    code = "IR104"
    tag: str
    parent: str

    @property
    def message(self) -> str:
        close = did_you_mean(None if self.meant is None else f"<{self.meant}>")
        return f"unknown element <{self.tag}> in <{self.parent}>{close}"


class RepeatedElement(Fault):
    """A second element where its parent has one."""

    code = "IR104"
    words = "<{self.tag}> occurs twice in <{self.parent}>, expected once"
    tag: str
    parent: str


class UnknownAttribute(Fault):
    """An attribute that its element does not have."""

    code = "IR105"
    words = "unknown attribute {self.name}{self.close}"
    name: str
    fits: bool
    """True if the attribute that was meant can have this value; only then is renaming it a repair."""

    def suggestion(self, anchor: Anchor, meant: str) -> Suggestion | None:
        return super().suggestion(anchor, meant) if self.fits else None


class MissingAttribute(Fault):
    """An element without the attributes that it needs."""

    code = "IR106"
    subject: str
    names: Sequence[str]

    @property
    def message(self) -> str:
        return f"{self.subject} has no {' and no '.join(self.names)}"


class RepeatedPortId(Fault):
    """A port with the id of another port of its side."""

    code = "IR107"
    id: str
    side: str

    @property
    def message(self) -> str:
        expected = "expected an id of its own" if self.meant is None else f'id="{self.meant}" was meant'
        return f'port id "{self.id}" is repeated in <{self.side}>; {expected}'


class UnreadableDim(Fault):
    """A ``<dim>`` that holds no size."""

    code = "IR108"
    text: str

    @property
    def message(self) -> str:
        expected = ", expected a size or -1" if self.meant is None else f"; {self.meant} was meant"
        return f'<dim> holds "{self.text}"{expected}'


class UnreadablePrecision(Fault):
    """A port of an unknown precision."""

    code = "IR109"
    words = 'precision="{self.text}" is not known{self.close}'
    text: str


class UnreadableId(Fault):
    """An id that is not a number."""

    code = "IR110"
    words = '{self.name}="{self.id}" of <{self.subject}> is not a number, expected 0 or more'
    name: str
    id: str
    subject: str


class ExcessiveRank(Fault):
    """A port with more dims than an array can have."""

    code = "IR404"
    words = "the port has {self.rank} dims, expected at most {self.most}"
    rank: int
    most: int
