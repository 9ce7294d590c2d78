"""A function that runs on many items, over a Dask cluster that the test starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from irrun.jobs.cluster import ClusterError
from irrun.jobs.items import Lost
from irrun.jobs.spread import spread
from tests.jobs import works

distributed = pytest.importorskip("distributed", reason="distributed is not installed, the extra distributed")
pytestmark = pytest.mark.filterwarnings("ignore")
ITEMS = range(40)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_every_item_once_and_the_function_once_for_each_worker(cluster: Any, tmp_path: Path) -> None:
    found = list(spread(works.Doubling(str(tmp_path)), ITEMS, scheduler=cluster))
    assert sorted(found) == [(item, 2 * item) for item in ITEMS]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.rest
def test_by_address(cluster: Any, tmp_path: Path) -> None:
    address = cluster.scheduler.address
    assert sorted(spread(works.KilledOnce(str(tmp_path)), ITEMS, scheduler=address)) == [(n, n) for n in ITEMS]
    assert (tmp_path / "killed").exists()


@pytest.mark.rest
def test_only_the_item_that_ends_its_workers_is_lost(cluster: Any) -> None:
    found = dict(spread(works.fatal, ITEMS, scheduler=cluster))
    assert {item: found[item] for item in ITEMS if found[item] != item} == {
        13: Lost("every worker that ran it has ended")
    }


def test_a_cluster_that_loses_its_workers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("irrun.jobs.cluster.PATIENCE", 1)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        found = spread(works.Doubling(str(tmp_path)), ITEMS, scheduler=client)
        index, doubled = next(found)
        assert doubled == 2 * index
        cluster.scale(0)
        cluster.sync(cluster._correct_state)
        with pytest.raises(ClusterError, match="the cluster has had no worker for 1 s"):
            list(found)


def test_an_exception_is_passed_on(cluster: Any) -> None:
    with pytest.raises(ValueError, match="three"):
        list(spread(works.failing, ITEMS, scheduler=cluster))


@pytest.mark.rest
def test_addresses_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClusterError, match="tpc://host:1 is not the address of a scheduler; did you mean tcp://"):
        list(spread(abs, [1], scheduler="tpc://host:1"))
    monkeypatch.setattr("irrun.jobs.cluster.TIMEOUT", 1)
    with pytest.raises(ClusterError, match=r"the scheduler tcp://127\.0\.0\.1:9 does not answer: "):
        list(spread(abs, [1], scheduler="tcp://127.0.0.1:9"))
