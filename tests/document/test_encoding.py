"""Texts in encodings other than UTF-8, and declarations that name one."""

from __future__ import annotations

import codecs

import pytest

from irrun.document.encoding import decode

BODY = '<net name="größe"/>'


@pytest.mark.parametrize("head", ["", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>'])
def test_utf_8_stays_as_it_is(head: str) -> None:
    data = (head + BODY).encode()
    assert decode(data) == (data, ())


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_becomes_utf_8_once(name: str) -> None:
    decoded = decode(BODY.encode(name))
    assert decoded.data == codecs.BOM_UTF8 + BODY.encode()
    assert decode(decoded.data).data == decoded.data
