"""Prometheus metrics of each process.

Values that all processes share are read at the scrape: `backend.operations.monitoring.database_metrics`. No label
contains client input: routes are templates, events are handlers of the app.

With several workers (`WORKERS`) a scrape reaches any one of them. The processes then write their numbers into files
in one folder (prometheus_client's multiprocess mode: PROMETHEUS_MULTIPROC_DIR, which
`storefront.server.granian_server` sets before this module is imported), and the process that is scraped adds them
up.
"""

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

REGISTRY = CollectorRegistry()
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histograms' buckets, in seconds."""

REQUESTS = Counter(
    "trompo_http_requests",
    "Requests by route (a template) and status.",
    ("method", "route", "status"),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "trompo_http_request_duration_seconds",
    "From a request's headers to the end of its response.",
    ("route",),
    buckets=SECONDS,
    registry=REGISTRY,
)
EVENTS = Counter(
    "trompo_events",
    "Events of pages by handler and outcome: ok, failed or canceled.",
    ("event", "outcome"),
    registry=REGISTRY,
)
EVENT_SECONDS = Histogram(
    "trompo_event_duration_seconds",
    "Handling of an event, what waits for the page's state included.",
    ("event",),
    buckets=SECONDS,
    registry=REGISTRY,
)
JOB_RUNS = Counter(
    "trompo_job_runs",
    "Runs of jobs by kind and outcome: ok or failed.",
    ("kind", "outcome"),
    registry=REGISTRY,
)
OUTSIDE_CALLS = Counter(
    "trompo_outside_requests",
    "Calls of the gateway, the carrier and others by outcome: a status's class, unreachable or no_answer.",
    ("service", "outcome"),
    registry=REGISTRY,
)
OUTSIDE_SECONDS = Histogram(
    "trompo_outside_request_duration_seconds",
    "Such a call.",
    ("service",),
    buckets=SECONDS,
    registry=REGISTRY,
)
PAGES_RENDERED = Counter("trompo_pages_rendered", "Pages that a renderer drew.", registry=REGISTRY)
RENDERER_STARTS = Counter("trompo_renderer_starts", "Renderers that were started.", registry=REGISTRY)

LOOP_LAG = Gauge(
    "trompo_event_loop_lag_seconds",
    "How late the event loop ran at worst in the last ten seconds.",
    registry=REGISTRY,
    multiprocess_mode="livemax",
)
CONNECTIONS = Gauge(
    "trompo_database_connections",
    "Connections to the database: in_use or idle.",
    ("state",),
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
MEMORY = Gauge(
    "trompo_resident_memory_bytes",
    "Memory of the serving processes.",
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
WEBSOCKETS = Gauge(
    "trompo_websockets", "Pages that are open.", registry=REGISTRY, multiprocess_mode="livesum"
)
RENDERERS = Gauge(
    "trompo_renderers_up",
    "Renderers that can be asked, those at rest included.",
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
RENDERER_MEMORY = Gauge(
    "trompo_renderer_memory_bytes", "Memory of the renderers.", registry=REGISTRY, multiprocess_mode="livesum"
)


def exposition() -> bytes:
    """Return the metrics of all processes in Prometheus' text format.

    This reads files: do not call it on the event loop.
    """
    if not _is_shared():
        return generate_latest(REGISTRY)
    together = CollectorRegistry()
    MultiProcessCollector(together)
    return generate_latest(together)


def forget_dead_processes() -> None:
    """Delete the gauges of processes that have ended, so that sums no longer include them. Counters stay."""
    if not _is_shared():
        return
    folder = Path(MultiProcessCollector(None)._path)  # noqa: SLF001
    for file in folder.glob("gauge_live*_*.db"):
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, str(folder))


def _is_shared() -> bool:
    return bool(values.ValueClass._multiprocess)  # noqa: SLF001 - there is no public attribute
