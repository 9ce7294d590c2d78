"""The faults that reading a file finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from irrun.diagnostics import Fault, did_you_mean
from irrun.diagnostics.fault import Said


class MalformedXml(Said):
    """A text that is not well-formed XML."""

    code = "IR101"


class NotAnIr(Said):
    """A file that is no IR, or of an unknown version."""

    code = "IR102"


class HostileMarkup(Said):
    """Content that is unsafe to read."""

    code = "IR901"


@dataclass(frozen=True, kw_only=True)
class MissingPrecision(Fault):
    """An output port without the precision that OpenVINO requires."""

    code = "IR103"

    @property
    def message(self) -> str:
        return "<port> has no precision, OpenVINO refuses the file"


@dataclass(frozen=True, kw_only=True)
class UnknownElement(Fault):
    """An element that its parent does not have."""

    code = "IR104"
    tag: str
    parent: str

    @property
    def message(self) -> str:
        close = did_you_mean(None if self.meant is None else f"<{self.meant}>")
        return f"unknown element <{self.tag}> in <{self.parent}>{close}"


@dataclass(frozen=True, kw_only=True)
class RepeatedElement(Fault):
    """A second element where its parent has one."""

    code = "IR104"
    tag: str
    parent: str

    @property
    def message(self) -> str:
        return f"<{self.tag}> stands twice in <{self.parent}>, expected once"


@dataclass(frozen=True, kw_only=True)
class UnknownAttribute(Fault):
    """An attribute that its element does not have."""

    code = "IR105"
    name: str

    @property
    def message(self) -> str:
        return f"unknown attribute {self.name}{did_you_mean(self.meant)}"


@dataclass(frozen=True, kw_only=True)
class MissingAttribute(Fault):
    """An element without the attributes that it needs."""

    code = "IR106"
    subject: str
    names: Sequence[str]

    @property
    def message(self) -> str:
        return f"{self.subject} has no {' and no '.join(self.names)}"


@dataclass(frozen=True, kw_only=True)
class RepeatedPortId(Fault):
    """A port with the id of another port of its side."""

    code = "IR107"
    id: str
    side: str

    @property
    def message(self) -> str:
        expected = "expected an id of its own" if self.meant is None else f'id="{self.meant}" was meant'
        return f'port id "{self.id}" is repeated in <{self.side}>; {expected}'


@dataclass(frozen=True, kw_only=True)
class UnreadableDim(Fault):
    """A ``<dim>`` that holds no size."""

    code = "IR108"
    text: str

    @property
    def message(self) -> str:
        expected = ", expected a size or -1" if self.meant is None else f"; {self.meant} was meant"
        return f'<dim> holds "{self.text}"{expected}'


@dataclass(frozen=True, kw_only=True)
class UnreadablePrecision(Fault):
    """A port of an unknown precision."""

    code = "IR109"
    text: str

    @property
    def message(self) -> str:
        return f'precision="{self.text}" is not known{did_you_mean(self.meant)}'


@dataclass(frozen=True, kw_only=True)
class UnreadableId(Fault):
    """An id that is no number."""

    code = "IR110"
    id: str
    subject: str

    @property
    def message(self) -> str:
        return f'id="{self.id}" of <{self.subject}> is no number, expected one from 0 up'


@dataclass(frozen=True, kw_only=True)
class ExcessiveRank(Fault):
    """A port with more dims than an array can have."""

    code = "IR404"
    rank: int
    most: int

    @property
    def message(self) -> str:
        return f"the port has {self.rank} dims, expected {self.most} at most"
