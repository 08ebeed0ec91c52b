"""Opens the shop: `python -m storefront.serve`. Pages, websocket and API are served on one port."""

import asyncio
import gc
import importlib
import multiprocessing
import resource
from collections.abc import Callable
from http.client import HTTPException
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from urllib.request import urlopen

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server
from starlette.types import ASGIApp

from backend.errors import CannotStart
from backend.logs import set_up_logging
from backend.metrics import forget_dead_processes, share_between_processes
from backend.settings import Settings, load_settings
from backend.tracing import can_trace
from storefront.build import CLIENT, STAMP
from storefront.earlier_builds import store_build
from storefront.processes import ADDRESS, EVENTS_WITHIN, REQUESTS_WITHIN, end_with_parent, hold_port
from storefront.toolchain import prepare_serving, without_extras

SECONDS_BETWEEN_LOOKS = 0.05
HEADERS_WITHIN = 10
"""Seconds that a connection has for the headers of a request, its first and each further one: also while it is idle."""
MOST_HEADER_BYTES = 64 * 1024
MOST_CONNECTIONS = 4096
"""Of one worker, websockets aside. Each may hold `MOST_HEADER_BYTES` before its request is complete."""
ENOUGH_FILES = 10_000
MOST_WAITING = 2048
"""Connections that wait to be accepted."""


def main() -> None:
    """Prepare the database, then serve until stopped (SIGINT, SIGTERM).

    Raises:
        SettingsError: a setting is wrong.
        CannotStart: the port is taken, the pages are not built or the database does not answer.
    """
    settings = load_settings()
    _require_build()
    _require_tracing(settings)
    held = hold_port(settings.port)
    _apart(_prepare, settings)
    set_up_logging(settings)
    store_build(CLIENT, settings.data_dir)
    with TemporaryDirectory(prefix="trompo-metrics-") as metrics:
        if settings.workers > 1:
            prepare_serving(Path(metrics))
            share_between_processes()
        else:
            prepare_serving()
        serve(settings)
    if held is not None:
        held.close()


def serve(settings: Settings) -> None:
    """Serve on the settings' port until stopped.

    One worker unless the settings say more: the pages' state lives in its memory, unless it lives in Redis. Where the
    platform forks, the app is imported before the workers are, so that it is imported once.
    """
    if multiprocessing.get_start_method() == "fork":
        import_app(settings)
        freeze_garbage()
    Server(
        "storefront.serve:open_shop",
        factory=True,
        address=ADDRESS,
        port=settings.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,  # a server that also looks for HTTP/2 waits for ever for a first byte
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADERS_WITHIN * 1000, max_buffer_size=MOST_HEADER_BYTES
        ),
        backlog=MOST_WAITING,
        backpressure=min(MOST_CONNECTIONS, open_files() // 2),  # the other half: websockets, database, files
        workers=settings.workers,
        workers_kill_timeout=ceil(settings.drain_seconds + EVENTS_WITHIN + REQUESTS_WITHIN),
        respawn_failed_workers=True,  # not when one dies again within seconds: then the command ends and says so
        log_level=LogLevels.warning,
        log_dictconfig={"loggers": {"_granian": {"propagate": True}, "granian.access": {}}},  # ours writes it
    ).serve()
    print("Trompo is closed.")


def open_files() -> int:
    """How many files and connections a process may have open, after raising that as far as the system allows."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH_FILES if most == resource.RLIM_INFINITY else min(ENOUGH_FILES, most)
    if wanted > allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return max(wanted, allowed)


def open_shop() -> ASGIApp:
    """Make the worker's app, and say so when the shop really answers."""
    end_with_parent()
    set_up_logging(load_settings())
    forget_dead_processes()
    app = import_app(load_settings())
    Thread(target=_announce, args=(load_settings().port,), daemon=True).start()
    opened = app()
    freeze_garbage()
    return opened


def import_app(settings: Settings) -> Callable[[], ASGIApp]:
    """The app, with no more of the libraries than it needs."""
    with without_extras(traces=bool(settings.otel_exporter_otlp_endpoint)):
        app: Callable[[], ASGIApp] = importlib.import_module("storefront.storefront").app
    return app


def freeze_garbage() -> None:
    """Exclude all objects that exist by now from garbage collection: they stay for good.

    A collection over everything the app is made of would delay the requests of that moment, and would write to memory
    that the workers otherwise share.
    """
    gc.collect()
    gc.freeze()


def _apart(do: Callable[[Settings], None], settings: Settings) -> None:
    """Do this in a process of its own: what only that needs takes no memory for as long as the shop is open.

    Raises:
        SystemExit: it ended so, and has said why.
    """
    process = multiprocessing.Process(target=do, args=(settings,))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def _prepare(settings: Settings) -> None:
    from backend.start import prepare

    if added := asyncio.run(prepare(settings)).products:
        print(f"Filled the empty shop with {added} demo toys.", flush=True)


def _announce(port: int) -> None:
    while not _answers(port):
        sleep(SECONDS_BETWEEN_LOOKS)
    print(f"\n  Trompo is open: http://localhost:{port}   (Ctrl+C closes it)\n", flush=True)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, HTTPException):  # not yet: nobody listens, or the database is not there
        return False


def _require_build() -> None:
    if not STAMP.exists():
        raise CannotStart("Trompo cannot start: its pages are not built. `make run` builds and starts it.")


def _require_tracing(settings: Settings) -> None:
    if settings.otel_exporter_otlp_endpoint and not can_trace():
        raise CannotStart(
            "Trompo cannot start: OTEL_EXPORTER_OTLP_ENDPOINT needs what "
            "`pip install --require-hashes --requirement requirements/traces.txt` installs."
        )


if __name__ == "__main__":
    main()
