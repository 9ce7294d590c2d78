from __future__ import annotations

from irrun.kernels.bev_pool import bev_pool
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import F16, F32, I32, I64

T_FP = TypeVar("T_FP", frozenset({F16, F32}))
T_INT = TypeVar("T_INT", frozenset({I32, I64}))


@op("BevPoolV2", opset=15, page="bevpool-v2-1")
class BevPoolV2(Op):
    """Sum depth-weighted features of several cameras into the cells of a bird's-eye view.

    Note: an index outside dw or cf adds nothing, an interval outside idx is clipped, and a cell outside the output is
    ignored.
    """

    inputs = (
        In("cf", T_FP, "features of each camera, [N, H_img, W_img, C_in]", rank=4),
        In("dw", T_FP, "depth weights, flat"),
        In("idx", T_INT, "positions in dw", rank=1),
        In("itv", T_INT, "rows of start, end and cell, [K, 3] or [3 * K]", rank=(1, 2)),
    )
    outputs = (Out("output", T_FP, "[N, C_out, H_feat, W_feat]"),)

    input_channels: int = attr(doc="channels of cf", ge=1)
    output_channels: int = attr(doc="channels of the output", ge=1)
    image_width: int = attr(doc="width of cf", ge=1)
    image_height: int = attr(doc="height of cf", ge=1)
    feature_width: int = attr(doc="width of the output", ge=1)
    feature_height: int = attr(doc="height of the output", ge=1)
    x_bound_min: float = attr(doc="least x of the grid")
    x_bound_max: float = attr(doc="greatest x of the grid")
    x_bound_step: float = attr(doc="resolution along x", gt=0)
    y_bound_min: float = attr(doc="least y of the grid")
    y_bound_max: float = attr(doc="greatest y of the grid")
    y_bound_step: float = attr(doc="resolution along y", gt=0)
    z_bound_min: float = attr(doc="least z of the grid")
    z_bound_max: float = attr(doc="greatest z of the grid")
    z_bound_step: float = attr(doc="resolution along z", gt=0)
    d_bound_min: float = attr(doc="least depth")
    d_bound_max: float = attr(doc="greatest depth")
    d_bound_step: float = attr(doc="resolution of depth", gt=0)

    def verify(self) -> None:
        for axis in "xyzd":
            least, greatest = getattr(self, f"{axis}_bound_min"), getattr(self, f"{axis}_bound_max")
            if greatest < least:
                name = f"{axis}_bound_max"
                raise OpError(f"{name} ({greatest:g}) is below {axis}_bound_min ({least:g})", attribute=name)

    def infer(self, cf: Fact, _dw: Fact, _idx: Fact, itv: Fact) -> Shape:
        batch = Dim()
        if cf.shape.dims is not None:
            batch, *sizes = cf.shape.dims
            names = ("image_height", "image_width", "input_channels")
            for name, size in zip(names, sizes, strict=True):
                merge_dims(size, Dim.exactly(getattr(self, name)), f"{name} and the size of cf", input=0)
        if itv.shape.dims is not None:
            last = itv.shape[-1]
            if (itv.rank == 2 and not last.admits(3)) or (itv.rank == 1 and last.is_static and last.lo % 3):
                raise OpError(f"itv has the shape {itv.shape}, expected [K,3] or [3*K]", input=3)
        return Shape([batch, self.output_channels, self.feature_height, self.feature_width])

    def run(self, cf: Array, dw: Array, idx: Array, itv: Array) -> Array:
        area = self.image_height * self.image_width
        depth_bins = int((self.d_bound_max - self.d_bound_min) / self.d_bound_step)
        shape = (cf.shape[0], self.output_channels, self.feature_height, self.feature_width)
        return bev_pool(cf, dw.reshape(-1), idx, itv.reshape(-1, 3), depth_bins, area, shape)
