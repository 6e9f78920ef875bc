import asyncio

from sil.serve.metrics import Metrics
from sil.serve.store import Store
from tests.serve.test_store import a_job


def test_requests_and_jobs_are_counted(tmp_path):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 202, "headers": []})

    async def nothing(*_):
        return {}

    store = Store(tmp_path / "s")
    metrics = Metrics(store)
    store.add(a_job(), 9)
    for method in ("POST", "POST", "BREW"):
        scope = {"type": "http", "method": method}
        asyncio.run(metrics.watch(app)(scope, nothing, nothing))
    text = metrics.text().decode()
    assert 'sil_requests_total{method="POST",status="202"} 2.0' in text
    assert 'sil_requests_total{method="other",status="202"} 1.0' in text
    assert 'sil_jobs{state="queued"} 1.0' in text
    assert "sil_request_seconds_count 3.0" in text
    store.close()
