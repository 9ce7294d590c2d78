from __future__ import annotations

from irrun.ops import Array, op
from irrun.ops._declared.image.yuv import ToNV12


@op("BGRtoNV12", opset=17, page="bgr-to-nv12-17")
class BGRtoNV12(ToNV12):
    """Convert an image from BGR to NV12, in one plane or two.

    Values are clipped to the range from 0 to 255; u8 is rounded.

    Note: chroma is the mean over the four pixels of a block.
    """

    def run(self, data: Array) -> Array | tuple[Array, Array]:
        return self.planes(data[..., ::-1])
