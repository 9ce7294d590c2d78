"""Modules that no installable library has: YOLOv8n, and recurrent layers as speech and text use them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

BINS = 16
"""The number of positions over which the distance of each side of a box is distributed."""


class BiLSTM(nn.LSTM):
    """Two layers in both directions; the states of the last layer at each position."""

    def __init__(self, inputs: int = 128, hidden: int = 256, layers: int = 2) -> None:
        super().__init__(inputs, hidden, layers, batch_first=True, bidirectional=True)

    def forward(self, frames: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(frames)[0]


class Conv(nn.Sequential):
    def __init__(self, inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> None:
        convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        super().__init__(convolution, nn.BatchNorm2d(outputs, eps=1e-3), nn.SiLU())


class Bottleneck(nn.Module):
    def __init__(self, width: int, shortcut: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(width, width, 3), Conv(width, width, 3))
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x) if self.shortcut else self.body(x)


class C2f(nn.Module):
    """Two halves, the second of which passes bottlenecks; all that they return is joined."""

    def __init__(self, inputs: int, outputs: int, count: int, shortcut: bool = False) -> None:
        super().__init__()
        half = outputs // 2
        self.begin = Conv(inputs, outputs)
        self.blocks = nn.ModuleList(Bottleneck(half, shortcut) for _ in range(count))
        self.end = Conv((2 + count) * half, outputs)

    def forward(self, x: Tensor) -> Tensor:
        parts = list(self.begin(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        return self.end(torch.cat(parts, 1))


class Pooled(nn.Module):
    """What three poolings in a row see, joined."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.begin, self.end = Conv(width, width // 2), Conv(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        parts = [self.begin(x)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.end(torch.cat(parts, 1))


class Head(nn.Module):
    """The distances of the sides and the scores at each point of one level."""

    def __init__(self, width: int, classes: int, least: int) -> None:
        super().__init__()
        side, inner = max(least // 4, 4 * BINS), max(least, classes)
        self.box = nn.Sequential(Conv(width, side, 3), Conv(side, side, 3), nn.Conv2d(side, 4 * BINS, 1))
        self.score = nn.Sequential(Conv(width, inner, 3), Conv(inner, inner, 3), nn.Conv2d(inner, classes, 1))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.box(x), self.score(x)], 1)


class Yolo(nn.Module):
    """YOLOv8n: boxes as centre and size in pixels, and scores, [1, 4 + classes, points], before suppression."""

    def __init__(self, classes: int = 80, widths: Sequence[int] = (16, 32, 64, 128, 256)) -> None:
        super().__init__()
        first, second, low, mid, high = widths
        self.classes = classes
        self.stem = nn.Sequential(
            Conv(3, first, 3, 2), Conv(first, second, 3, 2), C2f(second, second, 1, True),
            Conv(second, low, 3, 2), C2f(low, low, 2, True),
        )  # fmt: skip
        self.middle = nn.Sequential(Conv(low, mid, 3, 2), C2f(mid, mid, 2, True))
        self.coarse = nn.Sequential(Conv(mid, high, 3, 2), C2f(high, high, 1, True), Pooled(high))
        self.up_middle, self.up_fine = C2f(high + mid, mid, 1), C2f(mid + low, low, 1)
        self.to_middle, self.to_coarse = Conv(low, low, 3, 2), Conv(mid, mid, 3, 2)
        self.down_middle, self.down_coarse = C2f(low + mid, mid, 1), C2f(mid + high, high, 1)
        self.heads = nn.ModuleList(Head(width, classes, low) for width in (low, mid, high))

    def forward(self, images: Tensor) -> Tensor:
        fine = self.stem(images)
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        up = self.up_middle(torch.cat([functional.interpolate(coarse, scale_factor=2.0), middle], 1))
        fine = self.up_fine(torch.cat([functional.interpolate(up, scale_factor=2.0), fine], 1))
        middle = self.down_middle(torch.cat([self.to_middle(fine), up], 1))
        coarse = self.down_coarse(torch.cat([self.to_coarse(middle), coarse], 1))
        return self.decoded([head(x) for head, x in zip(self.heads, (fine, middle, coarse), strict=True)])

    def decoded(self, levels: list[Tensor]) -> Tensor:
        centres, strides = self.points(levels)
        joined = torch.cat([level.flatten(2) for level in levels], 2)
        distances, scores = joined.split((4 * BINS, self.classes), 1)
        likely = distances.unflatten(1, (4, BINS)).transpose(2, 1).softmax(1)
        sides = functional.conv2d(likely, torch.arange(BINS, dtype=torch.float32).view(1, BINS, 1, 1)).squeeze(1)
        near, far = sides.chunk(2, 1)
        begin, end = centres - near, centres + far
        box = torch.cat([(begin + end) / 2, end - begin], 1) * strides
        return torch.cat([box, scores.sigmoid()], 1)

    def points(self, levels: list[Tensor]) -> tuple[Tensor, Tensor]:
        """The centres of cells, in cells, [2, points], and the pixels of a cell."""
        centres, strides = [], []
        for number, level in enumerate(levels):
            rows, columns = torch.arange(level.shape[2]) + 0.5, torch.arange(level.shape[3]) + 0.5
            grid = torch.meshgrid(rows, columns, indexing="ij")
            centres.append(torch.stack([grid[1], grid[0]]).view(2, -1))
            strides.append(torch.full((1, level.shape[2] * level.shape[3]), 8.0 * 2**number))
        return torch.cat(centres, 1), torch.cat(strides, 1)


class Detector(Yolo):
    """Three convolutions, and the head of YOLOv8n on one level."""

    def __init__(self, classes: int = 4, width: int = 8) -> None:
        nn.Module.__init__(self)
        self.classes = classes
        self.stem = nn.Sequential(Conv(3, width, 3, 2), Conv(width, width, 3, 2), Conv(width, width, 3, 2))
        self.heads = nn.ModuleList([Head(width, classes, width)])

    def forward(self, images: Tensor) -> Tensor:
        return self.decoded([self.heads[0](self.stem(images))])


class Block(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU())


class UNet(nn.Module):
    """Three resolutions: pooled on the way down, resized on the way up, and joined with what was before."""

    def __init__(self, width: int = 8, classes: int = 3) -> None:
        super().__init__()
        self.begin, self.down, self.bottom = Block(3, width), Block(width, 2 * width), Block(2 * width, 4 * width)
        self.up, self.end = Block(6 * width, 2 * width), Block(3 * width, width)
        self.score = nn.Conv2d(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        fine = self.begin(x)
        middle = self.down(functional.max_pool2d(fine, 2))
        coarse = self.bottom(functional.avg_pool2d(middle, 3, 2, 1))
        middle = self.up(torch.cat([functional.interpolate(coarse, scale_factor=2.0, mode="bilinear"), middle], 1))
        fine = self.end(torch.cat([functional.interpolate(middle, scale_factor=2.0), fine], 1))
        return self.score(fine).softmax(1)
