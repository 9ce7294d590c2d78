"""Names of OpenVINO that irrun does not have, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_DEVICE: Final = "there is no device with memory of its own"
_CONVERSION: Final = "models of other frameworks are not converted or read; OpenVINO makes an IR of one"
_OWN: Final = "operations of users are classes of irrun, see extensions.md"

ABSENT: Final[Mapping[str, str]] = {
    "convert_model": _CONVERSION,
    "frontend": _CONVERSION,
    "tools": _CONVERSION,
    "torch": _CONVERSION,
    "Extension": _OWN,
    "OpExtension": _OWN,
    "Op": _OWN,
    "RemoteContext": _DEVICE,
    "RemoteTensor": _DEVICE,
    "VAContext": _DEVICE,
    "VASurfaceTensor": _DEVICE,
    "experimental": "inference keeps the bounds of values in Model.facts",
    "package_utils": "these are tools of OpenVINO's own packages",
}
