"""A worker: one process that serves the shop. The main process is in `storefront.server.granian_server`."""

import importlib
from collections.abc import Callable
from http.client import HTTPException
from threading import Thread
from time import sleep
from urllib.request import urlopen

from starlette.types import ASGIApp

from backend.core.config.settings import load_settings
from backend.core.observability.logs import set_up_logging
from backend.core.observability.metrics import forget_dead_processes
from storefront.server.processes import end_at_signals, end_with_parent
from storefront.server.toolchain import prepare_serving

POLL_INTERVAL_S = 0.05


def open_shop() -> ASGIApp:
    """Return this worker's app. A thread prints a line as soon as the shop answers."""
    end_at_signals()  # a spawned worker has Python's handler of SIGINT, which prints a traceback
    end_with_parent()
    settings = load_settings()
    set_up_logging(settings.log_format)
    forget_dead_processes()
    Thread(target=_announce, args=(settings.port,), daemon=True).start()
    return import_app()()


def import_app() -> Callable[[], ASGIApp]:
    """Return the app's factory.

    First set the switch that makes Reflex serve the built pages, because Reflex reads it at import time.
    """
    prepare_serving()
    app: Callable[[], ASGIApp] = importlib.import_module("storefront.storefront").app
    return app


def _announce(port: int) -> None:
    while not _answers(port):
        sleep(POLL_INTERVAL_S)
    print(f"\n  Trompo is open: http://localhost:{port}   (Ctrl+C closes it)\n", flush=True)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, HTTPException):  # no process listens yet, or the database does not answer
        return False
