"""Serves the shop: pages, websocket and API on one port. `storefront.serve` gets here in a process of its own."""

import asyncio
import gc
import importlib
import logging
import multiprocessing
import resource
import signal
import sys
from collections.abc import Callable
from http.client import HTTPException
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from typing import Any
from urllib.request import urlopen

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server
from granian.server.embed import Server as EmbeddedServer
from starlette.types import ASGIApp

from backend.core.config.settings import Settings, load_settings
from backend.core.errors import CannotStart
from backend.core.observability.logs import set_up_logging
from backend.core.observability.metrics import forget_dead_processes, share_between_processes
from backend.core.observability.tracing import can_trace
from storefront.reflex_ext.earlier_builds import store_build
from storefront.renderer.first_process import start_early
from storefront.server.build import CLIENT, RENDERER, STAMP
from storefront.server.processes import ADDRESS, EVENTS_WITHIN, REQUESTS_WITHIN, end_with_parent, hold_port
from storefront.server.supervisor import Child
from storefront.server.toolchain import prepare_serving, without_extras

SECONDS_BETWEEN_LOOKS = 0.05
HEADERS_WITHIN = 10
"""Seconds that a connection has for the headers of a request, its first and each further one: also while it is idle."""
MOST_HEADER_BYTES = 64 * 1024
MOST_CONNECTIONS = 4096
"""Of one worker, websockets aside. Each may hold `MOST_HEADER_BYTES` before its request is complete."""
ENOUGH_FILES = 10_000
MOST_WAITING = 2048
"""Connections that wait to be accepted."""


def open_and_serve(child: Child) -> None:
    """Prepare the database, then serve until stopped (SIGINT, SIGTERM).

    What takes the place of a process that died serves with the database as that one left it.

    Raises:
        SettingsError: a setting is wrong.
        CannotStart: the port is taken, the pages are not built or the database does not answer.
    """
    settings = load_settings()
    longest_end = ceil(settings.drain_seconds + EVENTS_WITHIN + REQUESTS_WITHIN)
    child.ends_within(longest_end + 1)
    _require_build()
    _require_tracing(settings)
    held = hold_port(settings.port, patience=longest_end if child.is_again else 0)
    with TemporaryDirectory(prefix="trompo-metrics-") as metrics:
        if settings.workers > 1:
            prepare_serving(Path(metrics))
            share_between_processes()
        else:
            prepare_serving()
        if settings.workers == 1:
            loop = _new_event_loop()
            if settings.renderers:
                loop.run_until_complete(start_early(RENDERER))
            import_app(settings)
            _prepare_to_serve(settings, child)
            serve_alone(settings, loop)
        else:
            if multiprocessing.get_start_method() == "fork":
                import_app(settings)
            _prepare_to_serve(settings, child)
            serve_with_others(settings, longest_end)
    print("Trompo is closed.")
    if held is not None:
        held.close()


def _prepare_to_serve(settings: Settings, child: Child) -> None:
    if not child.is_again:
        prepare_database(settings)
    set_up_logging(settings)
    store_build(CLIENT, settings.data_dir)


def serve_alone(settings: Settings, loop: asyncio.AbstractEventLoop) -> None:
    """Serve in this process, with this event loop, until stopped.

    The pages' state lives in its memory, unless it lives in Redis.

    Raises:
        SystemExit: the shop could not be opened; the log says why.
    """
    logging.getLogger("_granian").addFilter(
        lambda entry: "experimental" not in entry.msg
    )  # it works, see tests
    server = EmbeddedServer(open_shop, factory=True, **_listening(settings))
    asyncio.set_event_loop(loop)
    for number in (signal.SIGINT, signal.SIGTERM):  # until the shop is open: then SIGTERM drains it
        loop.add_signal_handler(number, server.stop)
    loop.run_until_complete(server.serve())
    if server.interrupt_children:
        raise SystemExit(1)


def _new_event_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def serve_with_others(settings: Settings, longest_end: int) -> None:
    """Serve with several workers, each a process, until stopped.

    Where the platform forks, they are made of this one, which has imported the app: they share most of its memory.
    """
    freeze_garbage()
    Server(
        "storefront.server.granian_server:open_shop",
        factory=True,
        workers=settings.workers,
        workers_kill_timeout=longest_end,
        respawn_failed_workers=True,  # not when one dies again within seconds: then the command ends and says so
        **_listening(settings),
    ).serve()


def _listening(settings: Settings) -> dict[str, Any]:
    """What both servers are told."""
    return {
        "address": ADDRESS,
        "port": settings.port,
        "interface": Interfaces.ASGI,
        "http": HTTPModes.http1,  # a server that also looks for HTTP/2 waits for ever for a first byte
        "http1_settings": HTTP1Settings(
            header_read_timeout=HEADERS_WITHIN * 1000, max_buffer_size=MOST_HEADER_BYTES
        ),
        "backlog": MOST_WAITING,
        "backpressure": min(
            MOST_CONNECTIONS, open_files() // 2
        ),  # the other half: websockets, database, files
        "log_level": LogLevels.warning,
        "log_dictconfig": {
            "loggers": {"_granian": {"propagate": True}, "granian.access": {}}
        },  # ours writes it
    }


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
    """The app, with no more of the libraries than it needs.

    Garbage is collected again after `freeze_garbage`: almost all that is made until then stays, and looking through
    it over and over took a fifth of the time.
    """
    gc.disable()
    with without_extras(traces=bool(settings.otel_exporter_otlp_endpoint), redis=bool(settings.redis_url)):
        app: Callable[[], ASGIApp] = importlib.import_module("storefront.storefront").app
    return app


def freeze_garbage() -> None:
    """Exclude all objects that exist by now from garbage collection: they stay for good, but for a thousand or two.

    A collection over everything the app is made of takes a tenth of the start, would delay the requests of that moment
    later on, and would write to memory that the workers otherwise share.
    """
    gc.freeze()
    gc.enable()


def prepare_database(settings: Settings) -> None:
    """Prepare the database where that is necessary, in a process that ends then: what it loads takes no memory later.

    Raises:
        SystemExit: it cannot be prepared; that process has said why.
    """
    from backend.start import is_prepared

    if asyncio.run(is_prepared(settings)):
        return
    process = multiprocessing.Process(target=_prepare, args=(settings,))
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
