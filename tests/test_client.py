import asyncio
import threading

import pytest

from sil import SilError, construct, generate_cvrp
from sil.client import AsyncClient, Client, ServiceError
from tests.serve.running import running
from tests.serve.test_vroom import request

PROBLEM = generate_cvrp(100)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with running(tmp_path_factory.mktemp("client") / "data", "--workers", "2") as found:
        yield found


def test_submit_follow_and_fetch(service):
    with Client(service.url) as client:
        job = client.submit(PROBLEM, max_runtime=1, seed=2)
        assert not job.is_final
        events = list(client.events(job.id))
        costs = [event.cost for event in events]
        assert costs == sorted(costs, reverse=True)
        assert list(client.events(job.id, after=events[-2].number)) == events[-1:]
        status = client.wait(job.id)
        assert (status.state, status.nodes, status.cost) == ("done", 100, costs[-1])
        assert client.solution(job.id).check(PROBLEM) == []
        client.delete(job.id)
        with pytest.raises(ServiceError, match="no such job") as caught:
            client.job(job.id)
        assert caught.value.status == 404


def test_the_same_from_asyncio(service):
    async def main():
        async with AsyncClient(service.url) as client:
            job = await client.submit(PROBLEM, max_runtime=30)
            async for event in client.events(job.id):
                assert event.cost > 0
                break
            await client.cancel(job.id)
            status = await client.wait(job.id)
            assert status.state == "cancelled"
            assert (await client.solution(job.id)).check(PROBLEM) == []
            assert (await client.job(job.id)).is_final
            await client.delete(job.id)

    asyncio.run(main())


def test_files_json_starts_and_keys(service, tmp_path):
    (tmp_path / "x.csv").write_text("x,y,demand\n0,0,0\n1,1,2\n2,1,2\n")
    start = construct(PROBLEM, "insertion")
    with Client(service.url) as client:
        job = client.submit(tmp_path / "x.csv", capacity=3, max_runtime=0.1)
        assert client.wait(job.id).routes == 2
        job = client.submit(PROBLEM, initial=start, method="none", max_runtime=0.5, key="k")
        assert client.submit(
            PROBLEM, initial=start, method="none", max_runtime=0.5, key="k"
        ).id == job.id  # fmt: skip
        assert client.wait(job.id).start_cost == pytest.approx(start.cost(PROBLEM))
        assert client.wait(client.submit(request(), max_runtime=0.1).id).state == "done"
        with pytest.raises(ServiceError) as caught:
            client.submit(PROBLEM, seed=-1)
        assert caught.value.field == "seed"
        with pytest.raises(SilError, match="cannot be read"):
            client.submit(tmp_path / "no.csv")


def test_a_service_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr("sil.client._PAUSE", 0.0)
    monkeypatch.setattr("sil.client._MOST_BREAKS", 2)
    with Client("http://127.0.0.1:9") as client:
        with pytest.raises(SilError, match="cannot be reached"):
            client.submit(PROBLEM)
        with pytest.raises(SilError, match="cannot be reached"):
            list(client.events("0" * 16))

    async def main():
        async with AsyncClient("http://127.0.0.1:9") as client:
            with pytest.raises(SilError, match="cannot be reached"):
                await client.submit(PROBLEM)

    asyncio.run(main())


def test_many_clients_at_once(service):
    failures = []

    def work():
        try:
            with Client(service.url) as client:
                assert client.wait(client.submit(PROBLEM, max_runtime=0.1).id).state == "done"
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
