"""The texts of what runs of a network, without what depends on the processor."""

from __future__ import annotations

from pathlib import Path

from irrun.reporting.plans import optimized, running
from irrun.reporting.plans.listing import ItemListing, ProgramListing, StepListing
from tests.reporting.plans import nets

FOLDER = Path(__file__).parent / "texts"


def texts(name: str, folder: Path) -> dict[str, str]:
    """Return the texts of a network, by the endings of their files."""
    compiled = nets.compiled(name, folder, TIER="numpy")
    listing = running(compiled)
    if isinstance(listing, ProgramListing):
        listing = portable(listing)
    return {"graph": f"{optimized(compiled).text()}\n", "plan": f"{listing.text()}\n"}


def portable(listing: ProgramListing) -> ProgramListing:
    """Leave out what depends on the vectors of a processor: tasks, and the bytes of packed weights."""
    preludes = tuple(tuple(map(_step, prelude)) for prelude in listing.preludes)
    return listing._replace(level="", packed_bytes=None, preludes=preludes, steps=tuple(map(_step, listing.steps)))


def _step(step: StepListing) -> StepListing:
    return step._replace(items=tuple(map(_item, step.items)))


def _item(item: ItemListing) -> ItemListing:
    return item._replace(tasks=None, packed_bytes=0)
