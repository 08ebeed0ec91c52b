"""Server of the shop on one port. The main process starts Granian's workers, and replaces workers that die.

The main process imports little: each worker imports the app itself, and another process reads the settings and
prepares the database.
"""

import os
import resource
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from tempfile import TemporaryDirectory

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from backend.core.observability.logs import set_up_logging
from storefront.server.processes import ADDRESS, ServerSettings, end_at_signals, hold_port

HEADERS_TIMEOUT_S = 10
"""Seconds that a connection has for the headers of each request, including the idle time before them."""
MAX_HEADER_BYTES = 64 * 1024
MAX_CONNECTIONS = 4096
"""Maximum number of connections of one worker, not counting websockets.

Each connection may use `MAX_HEADER_BYTES` of memory before its request is complete.
"""
ENOUGH_FILES = 10_000
MAX_WAITING_CONNECTIONS = 2048
"""Maximum number of connections that wait to be accepted."""


def open_and_serve() -> None:
    """Prepare the database, then serve until stopped (SIGINT, SIGTERM).

    Raises:
        SettingsError: a setting is wrong.
        CannotStart: the port is in use, the pages are not built or the database does not answer.
        SystemExit: a worker ended twice within seconds; the log has the reason.
    """
    with ProcessPoolExecutor(max_workers=1) as pool:
        settings = pool.submit(_prepare_shop).result()
    held = hold_port(settings.port)
    set_up_logging(settings.log_format)
    with TemporaryDirectory(prefix="trompo-metrics-") as metrics:
        if settings.workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics  # a worker reads it when it imports its metrics
        make_server(settings).serve()
    print("Trompo is closed.")
    if held is not None:
        held.close()


def make_server(settings: ServerSettings) -> MPServer:
    """Return the server that starts, replaces and ends the workers."""
    server = MPServer(
        "storefront.server.worker:open_shop",
        factory=True,
        workers=settings.workers,
        workers_kill_timeout=settings.end_timeout_s,
        respawn_failed_workers=True,
        address=ADDRESS,
        port=settings.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,  # a server that detects HTTP/2 waits without limit for the first byte
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADERS_TIMEOUT_S * 1000, max_buffer_size=MAX_HEADER_BYTES
        ),
        backlog=MAX_WAITING_CONNECTIONS,
        backpressure=min(MAX_CONNECTIONS, open_files() // 2),  # the other half: websockets, database, files
        log_level=LogLevels.warning,
        log_dictconfig={
            "loggers": {"_granian": {"propagate": True}, "granian.access": {}}
        },  # our own access log replaces Granian's
    )
    # Granian would reload at SIGHUP; here a closed terminal ends the shop, unless `nohup` started it
    server.on_startup(partial(signal.signal, signal.SIGHUP, signal.getsignal(signal.SIGHUP)))
    # a forked worker would inherit the signal handlers of this process, and ignore SIGTERM
    server.on_startup(partial(os.register_at_fork, after_in_child=end_at_signals))
    return server


def open_files() -> int:
    """Raise this process's limit of open files and connections as far as the system allows, and return the limit."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH_FILES if most == resource.RLIM_INFINITY else min(ENOUGH_FILES, most)
    if wanted > allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return max(wanted, allowed)


def _prepare_shop() -> ServerSettings:
    from storefront.server.preparation import prepare_shop  # not in the main process: see above

    return prepare_shop()
