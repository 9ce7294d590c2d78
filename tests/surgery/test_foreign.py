"""Files with what OpenVINO does not write: other namespaces, attributes, old elements, white space."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.model import Loaded, load
from irrun.surgery import rename, save, set_notes, without_names
from tests.reporting.test_info_changes import TEXT

CHANGES = (
    ('<net name="two" version="11">', '<net name="two" version="11" xmlns:v="urn:x" extra="1">'),
    ('<data shape="1,4"', '<data v:hint="3" shape="1,4"'),
    ('<layer id="1" name="relu" type="ReLU"', '<layer name="relu" id="1"  type="ReLU"'),
    ("</edges>", "</edges>\n\t<v:other a='1'><b/></v:other>\n\t<meta_data><x value='1'/></meta_data>"),
    ('<labels value="cat dog" />', '<labels value="cat dog" more="x"/><free>text</free>'),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    text = TEXT
    for old, new in CHANGES:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "model.xml").write_text(text)
    return tmp_path / "model.xml"


def saved(model: Loaded, path: Path) -> str:
    save(model, path.with_name("made.xml"))
    return load(path.with_name("made.xml")) and path.with_name("made.xml").read_text()


@pytest.mark.parametrize("layer", ["R1", "relu", "x"])
def test_only_the_renamed_layer_has_another_text(path: Path, layer: str) -> None:
    made = saved(rename(load(path), {layer: "q"}), path)
    before, after = (text.split("</layer>") for text in (path.read_text(), made))
    assert [item for item in before[:4] if item not in after] == [item for item in before[:4] if f'"{layer}" ' in item]
    assert 'xmlns:v="urn:x" extra="1"' in after[0]
    assert "<v:other a='1'><b/></v:other>\n\t<meta_data><x value='1'/></meta_data>" in after[-1]


def test_other_notes_stay(path: Path) -> None:
    text = saved(set_notes(load(path), {"new/entry": "1"}), path)
    assert '<labels value="cat dog" more="x" />' in text
    assert "<free>text</free>" in text
    assert '<entry value="1" />' in text


def test_anonymous_models_keep_marks(path: Path) -> None:
    text = saved(without_names(load(path)), path)
    assert 'name="decompression"' in text
    assert 'layout="[N,C]"' in text
    assert "cat dog" not in text
    assert "extra" not in text
