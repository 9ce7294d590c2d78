from __future__ import annotations

from irrun.ops import Array, op
from irrun.ops._declared.image.yuv import FromI420


@op("I420toBGR", opset=8, page="i420-to-bgr-8")
class I420toBGR(FromI420):
    """Convert an image from I420, in one plane or three, to BGR.

    Values are clipped to the range from 0 to 255; u8 is rounded.
    """

    def run(self, y: Array, u: Array | None, v: Array | None) -> Array:
        return self.rgb(y, u, v)[..., ::-1]
