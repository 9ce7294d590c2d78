"""The option that chooses among the exported models, and the model of a test."""

from __future__ import annotations

import pytest

from tests.exports.archives import NAMES, SHARE, Export, unpacked


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "export" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--exports")
        names = NAMES if chosen == "all" else NAMES[::SHARE] if chosen is None else chosen.split(",")
        metafunc.parametrize("export", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def export(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Export:
    return unpacked(request.param, tmp_path_factory.mktemp(request.param))
