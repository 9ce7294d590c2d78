from __future__ import annotations

from irrun.ops import Array, op
from irrun.ops._declared.image.yuv import FromNV12


@op("NV12toBGR", opset=8, page="nv12-to-bgr-8")
class NV12toBGR(FromNV12):
    """Convert an image from NV12, in one plane or two, to BGR.

    Values are clipped to the range from 0 to 255; u8 is rounded.
    """

    def run(self, y: Array, uv: Array | None) -> Array:
        return self.rgb(y, uv)[..., ::-1]
