from __future__ import annotations

from irrun.ops import Array, op
from irrun.ops._declared.image.yuv import FromI420


@op("I420toRGB", opset=8, page="i420-to-rgb-8")
class I420toRGB(FromI420):
    """Convert an image from I420, in one plane or three, to RGB.

    Values are clipped to the range from 0 to 255; u8 is rounded.
    """

    def run(self, y: Array, u: Array | None, v: Array | None) -> Array:
        return self.rgb(y, u, v)
