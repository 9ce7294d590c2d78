"""Output dims of sound files, changed by one, one at a time: the only finding is at its row."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from irrun.linter import lint
from tests.linter.nets import NETS
from tests.linter.sound import EXAMPLES, FOLDERS, LONG, File, cases, files
from tests.plugins.tiers import Campaign, Tier

GROUPS = (*NETS, *FOLDERS)
MOST, MOST_OF_LONG = 150, 40
DRAWS, EACH = 12, 60
SEED = 20


def changed(sound: File, place: tuple[int, int]) -> tuple[bytes, int]:
    """Return the text with one dim incremented, and the row of the dim."""
    start, length = place
    dim = int(sound.text[start : start + length]) + 1
    text = sound.text[:start] + str(dim).encode() + sound.text[start + length :]
    return text, sound.text.count(b"\n", 0, start) + 1


def codes_and_rows(path: Path, text: bytes) -> list[tuple[str, int]]:
    return [(item.diagnostic.code, item.place.row) for item in lint(path, data=text).findings()]


def missed(
    folder: Path, sound: File, places: Iterable[tuple[int, int]]
) -> list[tuple[str, int, Counter[tuple[str, int]]]]:
    """Return the places whose change does not result in one IR401 at its row, with the findings."""
    path = folder / "model.xml"
    path.with_suffix(".bin").write_bytes(sound.weights)
    found, before = [], Counter(codes_and_rows(path, sound.text))
    for place in places:
        text, row = changed(sound, place)
        codes = Counter(codes_and_rows(path, text)) - before
        if codes != Counter([("IR401", row)]):
            found.append((sound.name, row, codes))
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_output_dims(group: str, tmp_path: Path, tier: Tier, subtests: pytest.Subtests) -> None:
    assert files(group)
    for sound in files(group):
        with subtests.test(file=sound.name):
            (tmp_path / "model.bin").write_bytes(sound.weights)
            assert codes_and_rows(tmp_path / "model.xml", sound.text) == []
            dims = chosen(sound)
            assert dims
            assert missed(tmp_path, sound, tier.part(dims, -(-len(dims) // 6))) == []


def chosen(sound: File) -> list[tuple[int, int]]:
    """Return some dims of a file: each takes as long as the file is."""
    most = MOST_OF_LONG if sound.name == LONG else MOST
    return random.Random(SEED).sample(sound.dims, min(len(sound.dims), most))


def test_output_dims_of_operations(tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    places = [(sound, place) for sound in cases() for place in sound.dims]
    for seed in campaign.draws(2, DRAWS):
        drawn: dict[str, tuple[File, list[tuple[int, int]]]] = {}
        for sound, place in random.Random(seed).sample(places, EACH):
            drawn.setdefault(sound.name, (sound, []))[1].append(place)
        with subtests.test(seed=seed):
            assert [item for sound, dims in drawn.values() for item in missed(tmp_path, sound, dims)] == []


def test_there_are_enough() -> None:
    others = {"wrong_dims.xml", "extension/model.xml"}
    sound = [file for group in GROUPS for file in files(group)]
    assert len(sound) == len(NETS) + sum(1 for _ in EXAMPLES.rglob("*.xml")) - len(others)
    assert sum(len(chosen(item)) for item in sound) + DRAWS * EACH >= 1000
    assert len(cases()) >= 200
