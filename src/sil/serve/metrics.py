"""Figures for Prometheus."""

import time

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sil.serve.store import Store


class _Jobs(Collector):
    """Jobs by state, counted when asked."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> list[GaugeMetricFamily]:
        """Count."""
        family = GaugeMetricFamily("sil_jobs", "Jobs by state.", labels=["state"])
        for state, count in self._store.counts().items():
            family.add_metric([str(state)], count)
        return [family]


class Metrics:
    """What is counted.

    Parameters
    ----------
    store
        Whose jobs are counted.
    """

    def __init__(self, store: Store) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Jobs(store))
        self.submitted = Counter("sil_jobs_submitted", "Jobs accepted.", registry=self._registry)
        self._requests = Counter(
            "sil_requests", "Requests by answer.", ["method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "sil_request_seconds", "Time to the head of the answer.", registry=self._registry
        )

    def watch(self, app: ASGIApp) -> ASGIApp:
        """Count the requests of an app."""

        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            begun = time.perf_counter()

            async def counted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    known = scope["method"] in ("GET", "HEAD", "POST", "DELETE", "OPTIONS")
                    method = scope["method"] if known else "other"
                    self._requests.labels(method, message["status"]).inc()
                    self._seconds.observe(time.perf_counter() - begun)
                await send(message)

            await app(scope, receive, counted if scope["type"] == "http" else send)

        return watched

    def text(self) -> bytes:
        """Write the figures in the format of Prometheus."""
        return generate_latest(self._registry)
